import { expect, it } from 'vitest';
import { requestedPauseMs } from './rate-headers.ts';

const NOW = Date.UTC(2026, 6, 1, 12);

it.each<[number, Record<string, string>, number]>([
  [200, {}, 0],
  [200, { 'X-RateLimit-Remaining': '3', 'X-RateLimit-Reset-In': '9' }, 0],
  [200, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset-In': '9' }, 9_000],
  [200, { 'X-Discogs-Ratelimit': '60', 'X-Discogs-Ratelimit-Remaining': '1' }, 0],
  [200, { 'X-Discogs-Ratelimit': '60', 'X-Discogs-Ratelimit-Remaining': '0' }, 10_000],
  [200, { 'Retry-After': '30' }, 0],
  [429, {}, 60_000],
  [429, { 'X-RateLimit-Reset-In': '4' }, 4_000],
  [429, { 'Retry-After': '30', 'X-RateLimit-Reset-In': '4' }, 30_000],
  [429, { 'Retry-After': 'Wed, 01 Jul 2026 12:00:20 GMT' }, 20_000],
  [429, { 'Retry-After': 'Wed, 01 Jul 2026 11:00:00 GMT' }, 0],
  [429, { 'Retry-After': 'soon' }, 60_000],
  [429, { 'Retry-After': '-5' }, 60_000],
  [429, { 'Retry-After': '999999999' }, 900_000],
  [503, { 'Retry-After': '7' }, 7_000],
  [500, {}, 0],
])('status %i with %j pauses requests for %i ms', (status, headers, ms) => {
  expect(requestedPauseMs(status, new Headers(headers), NOW)).toBe(ms);
});
