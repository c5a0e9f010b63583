import { expect, it } from 'vitest';
import { preferredCoding, prefersGzip } from './accept-encoding.ts';

it.each([
  'gzip',
  'GZIP',
  'x-gzip',
  'br, gzip',
  'gzip, deflate, br, zstd',
  '*',
  'gzip;q=1',
  'gzip ; Q=0.001',
  'identity;q=0.5, gzip;q=0.5',
  'deflate;q=0, *',
  'gzip;q=nonsense',
])('gzip for "%s"', (header) => {
  expect(prefersGzip(header)).toBe(true);
});

it.each([
  undefined,
  '',
  ' ',
  'identity',
  'br',
  'gzip;q=0',
  'gzip;q=0.000',
  'gzip; q = 0, *',
  '*;q=0',
  'identity, gzip;q=0.5',
  'notgzip',
  'identity;q=0',
])('plain for "%s"', (header) => {
  expect(prefersGzip(header)).toBe(false);
});

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
])('prefers for "%s" %s', (header, coding) => {
  // Twice, because the second result is a remembered one.
  expect([preferredCoding(header), preferredCoding(header)]).toEqual([coding, coding]);
});
