import { expect, it } from 'vitest';
import { boundedCache } from './bounded-cache.ts';

it('drops what was asked for longest ago when it holds too much', () => {
  const cache = boundedCache<string>(100);
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key.toUpperCase(), 25);
  expect(cache.get('a')).toBe('A');
  cache.set('e', 'E', 25);
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key))).toEqual(['A', undefined, 'C', 'D', 'E']);
  cache.set('a', 'again', 10);
  expect(cache.get('a')).toBe('again');
  cache.set('f', 'F', 15);
  expect(['a', 'c', 'd', 'e', 'f'].map((key) => cache.get(key))).toEqual(['again', 'C', 'D', 'E', 'F']);
});

it('does not keep what would push everything else out', () => {
  const cache = boundedCache<string>(100);
  cache.set('a', 'A', 20);
  cache.set('large', 'L', 26);
  expect([cache.get('a'), cache.get('large')]).toEqual(['A', undefined]);
});
