import { expect, it } from 'vitest';
import { requestLimit } from './request-limit.ts';

const limitOf = (perMinute: number, now: () => number) =>
  requestLimit({ name: 'requests', perMinute, now, store: null });

it('limits the requests of a network a minute, and returns the seconds to wait', async () => {
  let now = 1_000;
  const limit = limitOf(2, () => now);
  const take = (address: string) => limit.take(address);
  expect([
    await take('10.0.0.1'),
    await take('10.0.0.1'),
    await take('10.0.0.1'),
    await take('10.0.0.2'),
  ]).toEqual([null, null, 60, null]);
  now += 59_500;
  expect(await take('10.0.0.1')).toBe(1);
  now += 500;
  expect(await take('10.0.0.1')).toBeNull();
});

it('counts addresses of one household together', async () => {
  const limit = limitOf(1, () => 0);
  expect(await limit.take('2001:db8:1:2::1')).toBeNull();
  expect(await limit.take('2001:db8:1:2:ffff::9')).toBe(60);
  expect(await limit.take('2001:db8:1:3::1')).toBeNull();
});
