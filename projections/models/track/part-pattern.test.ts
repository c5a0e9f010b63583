import { describe, expect, it } from 'vitest';
import { partPattern } from './part-pattern.ts';

describe('a part of a title', () => {
  it.each([
    ['love', 'love'],
    ['a b c', 'a b c'],
    ['e t', 'e t'],
    ['r t', 'r t'],
    ['ab!', 'ab!'],
    ['!!a', '!!a'],
    ['n’t', 'n’t'],
    ['1⁄2', '1⁄2'],
    ['愛してる', '愛してる'],
    ['愛 恋', '愛 恋'],
    ['فيروز', 'فيروز'],
    ['किताब', 'किताब'],
    ['100%', '100%'],
    ['??? who', '??? who'],
    ['x'.repeat(200), 'x'.repeat(64)],
    [`${'?'.repeat(70)}abc`, `${'?'.repeat(65)}abc`],
    ['𝔞'.repeat(65), '𝔞'.repeat(64)],
  ])('%j becomes the pattern %j', (part, text) => {
    expect(partPattern(part)).toEqual({ text, isIndexed: true });
  });

  it.each(['???', '!!!', '+/-', '...', '%%%', '___', 'a!!', 'u (', 'h] [', '★★★', '♥ ♥', '—–—', 'e\u20e3e'])(
    '%j cannot be looked for by the index',
    (part) => {
      expect(partPattern(part)).toEqual({ text: part, isIndexed: false });
    },
  );

  it('of symbols alone is cut to 64 characters', () => {
    expect(partPattern('𝄞'.repeat(200)).text).toBe('𝄞'.repeat(64));
  });
});
