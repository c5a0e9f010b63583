import { describe, expect, it } from 'vitest';
import { decodeText } from './text.ts';

describe('decodeText', () => {
  it.each(['', 'JAEL', 'Beyoncé', '"quoted" \\ back', 'line\nbreak\ttab', '𝄞 clef', '\u2028', 'null', '12'])(
    'takes %j',
    (value) => expect(decodeText(value)).toBe(JSON.stringify(value)),
  );

  it.each([12, true, [], {}, null, 1n])('rejects %s', (value) =>
    expect(decodeText(value)).toEqual({ reason: 'not_text' }),
  );

  it.each(['nul \u0000 inside', 'half \ud834 a pair', 'the other half \udd1e'])(
    'rejects %j, which cannot be stored',
    (value) => expect(decodeText(value)).toEqual({ reason: 'not_text' }),
  );

  it('counts characters, not halves of pairs', () => {
    expect(decodeText('x'.repeat(20_000))).toBe(`"${'x'.repeat(20_000)}"`);
    expect(decodeText('x'.repeat(20_001))).toEqual({ reason: 'too_long' });
    expect(decodeText('𝄞'.repeat(20_000))).toBe(`"${'𝄞'.repeat(20_000)}"`);
    expect(decodeText('𝄞'.repeat(20_001))).toEqual({ reason: 'too_long' });
  });
});
