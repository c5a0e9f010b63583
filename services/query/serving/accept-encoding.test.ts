import { expect, it } from 'vitest';
import { prefersGzip } from './accept-encoding.ts';

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
