import { expect, it } from 'vitest';
import { requestLimit } from './request-limit.ts';

it('lets a network through so often a minute, and says how long to wait', () => {
  let now = 1_000;
  const limit = requestLimit(2, () => now);
  const take = (address: string) => limit.take(address);
  expect([take('10.0.0.1'), take('10.0.0.1'), take('10.0.0.1'), take('10.0.0.2')]).toEqual([
    null,
    null,
    60,
    null,
  ]);
  now += 59_500;
  expect(take('10.0.0.1')).toBe(1);
  now += 500;
  expect(take('10.0.0.1')).toBeNull();
});

it('counts addresses of one household together', () => {
  const limit = requestLimit(1, () => 0);
  expect(limit.take('2001:db8:1:2::1')).toBeNull();
  expect(limit.take('2001:db8:1:2:ffff::9')).toBe(60);
  expect(limit.take('2001:db8:1:3::1')).toBeNull();
});
