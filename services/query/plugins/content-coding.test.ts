import { expect, it } from 'vitest';
import { preferredCoding } from './content-coding.ts';

it.each([
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['BR ; Q=1', 'br'],
  ['br;q=0.4, gzip;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['x-gzip', 'gzip'],
  ['*', 'gzip'],
  ['*;q=0.1, br', 'br'],
  ['identity;q=0.5, br;q=0.5', 'br'],
  [undefined, null],
  ['', null],
  ['identity', null],
  ['deflate, zstd', null],
  ['br;q=0', null],
  ['br;q=0.2, gzip;q=0.1, identity;q=0.3', null],
  ['*;q=0', null],
])('of "%s" is %s', (header, coding) => {
  // Twice, for the second answer is remembered.
  expect([preferredCoding(header), preferredCoding(header)]).toEqual([coding, coding]);
});
