import { expect, it } from 'vitest';
import { slidingWindow } from './sliding-window.ts';

const START = Date.UTC(2024, 0, 1);

function windowOf(limit: number, windowMs: number, maxNetworks = 1_000, siteLimit = 1_000) {
  let now = START;
  let step = 0;
  const clock = { steady: () => now, wall: () => now + step };
  const { take } = slidingWindow({ limit, siteLimit, windowMs, maxNetworks, clock });
  return {
    setClock: (ms: number) => {
      step = ms;
    },
    take: (network = 'a', site: string | null = null) => take({ network, site }),
    at: (ms: number) => {
      now = START + ms;
    },
  };
}

it('returns the remaining requests and the reset time of a network', async () => {
  const { take, at } = windowOf(2, 10_000);
  expect(await take()).toEqual({
    isAllowed: true,
    limit: 2,
    remaining: 1,
    resetAt: (START + 10_000) / 1000,
    retryAfterSeconds: 10,
  });
  at(2_500);
  expect(await take()).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(await take()).toEqual({
    isAllowed: false,
    limit: 2,
    remaining: 0,
    resetAt: (START + 10_000) / 1000,
    retryAfterSeconds: 8,
  });
  expect(await take('b')).toMatchObject({ isAllowed: true, remaining: 1 });
});

it('never accepts more requests than the limit within the length of the window', async () => {
  const { take, at } = windowOf(2, 10_000);
  await take();
  at(9_000);
  await take();
  at(9_999);
  expect(await take()).toMatchObject({ isAllowed: false });
  // The first leaves the window, the second does not.
  at(10_000);
  expect(await take()).toMatchObject({ isAllowed: true, remaining: 0 });
  at(18_999);
  expect(await take()).toMatchObject({ isAllowed: false, retryAfterSeconds: 1 });
  at(19_000);
  expect(await take()).toMatchObject({ isAllowed: true });
});

it.each([-7_200_000, 7_200_000])('does not move when the system clock is set by %i ms', async (step) => {
  const { take, at, setClock } = windowOf(1, 10_000);
  await take();
  setClock(step);
  at(9_999);
  expect(await take()).toMatchObject({
    isAllowed: false,
    retryAfterSeconds: 1,
    resetAt: (START + 10_000 + step) / 1000,
  });
  at(10_000);
  expect(await take()).toMatchObject({ isAllowed: true });
});

it('does not count requests that it rejects', async () => {
  const { take, at } = windowOf(1, 10_000);
  await take();
  at(9_000);
  for (let times = 0; times < 5; times++) expect(await take()).toMatchObject({ isAllowed: false });
  at(10_000);
  expect(await take()).toMatchObject({ isAllowed: true });
});

it('accepts new networks at the maximum, and forgets the one without a request for longest', async () => {
  const { take, at } = windowOf(1, 10_000, 2);
  for (const [index, network] of ['a', 'b', 'c', 'd'].entries()) {
    at(index);
    expect(await take(network)).toMatchObject({ isAllowed: true });
  }
  expect(await take('d')).toMatchObject({ isAllowed: false });
  expect(await take('a')).toMatchObject({ isAllowed: true });
});

it('applies the limit of a site to all its networks together', async () => {
  const { take, at } = windowOf(2, 10_000, 1_000, 3);
  expect(await take('a', 's')).toMatchObject({ limit: 2, remaining: 1 });
  at(1_000);
  expect(await take('b', 's')).toMatchObject({ limit: 2, remaining: 1 });
  expect(await take('c', 's')).toMatchObject({ isAllowed: true, limit: 3, remaining: 0 });
  expect(await take('d', 's')).toEqual({
    isAllowed: false,
    limit: 3,
    remaining: 0,
    resetAt: (START + 10_000) / 1000,
    retryAfterSeconds: 9,
  });
  expect(await take('d', 't')).toMatchObject({ isAllowed: true, limit: 2, remaining: 1 });
  at(10_000);
  expect(await take('a', 's')).toMatchObject({ isAllowed: true, limit: 3, remaining: 0 });
  expect(await take('a', 's')).toMatchObject({ isAllowed: false, limit: 3 });
});

it('does not count requests beyond the limit of a network against its site', async () => {
  const { take } = windowOf(1, 10_000, 1_000, 2);
  for (const isAllowed of [true, false, false, false])
    expect(await take('a', 's')).toMatchObject({ isAllowed });
  expect(await take('b', 's')).toMatchObject({ isAllowed: true });
  expect(await take('c', 's')).toMatchObject({ isAllowed: false, limit: 2 });
});

it('bounds a site, even if its networks displace each other', async () => {
  const { take } = windowOf(5, 10_000, 3, 10);
  for (let network = 0; network < 100; network++)
    expect(await take(`n${network}`, 's')).toMatchObject({ isAllowed: network < 10 });
  for (let network = 1; network < 10; network++)
    expect(await take(`192.0.2.${network}`)).toMatchObject({ isAllowed: true });
  expect(await take('n0', 's')).toMatchObject({ isAllowed: false, limit: 10 });
});
