import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const KNOWN = ['identity', 'emergence', 'genre', 'q', 'artist', 'artists'];

it.each([
  ['identiy', 'identity'],
  ['EMERGENCE', 'emergence'],
  ['emregence', 'emergence'],
  ['gnere', 'genre'],
  ['artist', 'artist'],
  ['artiste', 'artist'],
  ['mood', undefined],
  ['', undefined],
  ['x', undefined],
  ['Q', 'q'],
  ['x'.repeat(10_000), undefined],
])('the nearest to %j is %j', (word, known) => {
  expect(nearest(word, KNOWN)).toBe(known);
});
