import { describe, expect, it } from 'vitest';
import { decodeJson } from './json.ts';

describe('decodeJson', () => {
  it.each([
    [{ b: 1, a: [null, 'x'] }, '{"b":1,"a":[null,"x"]}'],
    [[], '[]'],
    ['{ "b": 1, "a": 28.0 }', '{"b":1,"a":28.0}'],
    ['[12345678901234567890]', '[12345678901234567890]'],
    [{ n: 12345678901234567890n }, '{"n":12345678901234567890}'],
    ['null', 'null'],
  ])('accepts %s', (value, text) => expect(decodeJson(value)).toBe(text));

  it.each(['{broken', '', 'hello', '"hello"', '12', 'true', 12, 1n, true])('rejects %s', (value) =>
    expect(decodeJson(value)).toEqual({ reason: 'not_json' }),
  );

  it('rejects a value that is nested too deeply', () => {
    const text = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(decodeJson(text)).toEqual({ reason: 'not_json' });
  });
});
