import { expect, it } from 'vitest';
import { answerCache } from './answer-cache.ts';

it('keeps an answer for its time and no longer', () => {
  let now = 1_000;
  const cache = answerCache<string>({ keepMs: 100, most: 10, now: () => now });
  expect(cache.get('a')).toBeUndefined();
  cache.set('a', 'first');
  now = 1_099;
  expect(cache.get('a')).toBe('first');
  cache.set('a', 'second');
  now = 1_198;
  expect(cache.get('a')).toBe('second');
  now = 1_199;
  expect(cache.get('a')).toBeUndefined();
});

it('lets the oldest go where there are too many', () => {
  const cache = answerCache<string>({ keepMs: 100, most: 2, now: () => 0 });
  for (const asked of ['a', 'b', 'a', 'c']) cache.set(asked, asked);
  expect(['a', 'b', 'c'].map(cache.get)).toEqual(['a', undefined, 'c']);
});
