import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedOrder, rowKey, subjectValue } from './row-key.ts';

const INDEX_ENTRY_BYTES = 2_700;

describe('rowKey', () => {
  it('is the value itself if there is only one', () => {
    expect(rowKey(['play.1'])).toBe('play.1');
    expect(rowKey(['a\u001fb'])).toBe('a\u001fb');
  });

  it('joins several values', () => {
    expect(rowKey(['ab', '12'])).toBe('ab\u001f12');
  });

  it('gives different keys different texts', () => {
    const part = fc
      .array(fc.constantFrom('a', '', '\u001e', '\u001f', '0', '1'))
      .map((parts) => parts.join(''));
    const key = fc.array(part, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(key, key, (one, other) => {
        expect(rowKey(one) === rowKey(other)).toBe(
          one.join('|') === other.join('|') && one.every((value, i) => value === other[i]),
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it('stays distinct and small enough for an index for values of any length', () => {
    const long = '𝄞'.repeat(20_000);
    const keys = [rowKey([long]), rowKey([`${long}x`]), rowKey([long, 'x']), rowKey([long, 'y'])];
    expect(new Set(keys).size).toBe(4);
    for (const key of keys) {
      const entry = key + subjectValue(long) + boundedOrder(long);
      expect(Buffer.byteLength(entry)).toBeLessThan(INDEX_ENTRY_BYTES);
      expect(entry.isWellFormed()).toBe(true);
    }
  });

  it('leaves a key that fits unchanged', () => {
    expect(rowKey(['é'.repeat(450)])).toBe('é'.repeat(450));
    expect(rowKey(['é'.repeat(451)])).toMatch(/^é+~[0-9a-f]{64}$/);
  });
});
