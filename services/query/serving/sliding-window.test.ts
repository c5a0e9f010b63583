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

it('says where a network stands', async () => {
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

it('lets nobody through more often than the limit in any stretch of the window', async () => {
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

it.each([-7_200_000, 7_200_000])('is not moved by a clock that is set by %i ms', async (step) => {
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

it('does not count what it refuses', async () => {
  const { take, at } = windowOf(1, 10_000);
  await take();
  at(9_000);
  for (let times = 0; times < 5; times++) expect(await take()).toMatchObject({ isAllowed: false });
  at(10_000);
  expect(await take()).toMatchObject({ isAllowed: true });
});

it('refuses to count more networks than it has room for, until one leaves the window', async () => {
  const { take, at } = windowOf(5, 10_000, 2);
  await take('a');
  at(1_000);
  await take('b');
  await expect(take('c')).rejects.toThrow('more than 2 networks in one window');
  expect(await take('a')).toMatchObject({ isAllowed: true, remaining: 3 });
  at(10_999);
  await expect(take('c')).rejects.toThrow('more than 2 networks');
  at(11_000);
  expect(await take('c')).toMatchObject({ isAllowed: true, remaining: 4 });
});

it('lets the networks of one site through as often as their site may, and says what is left', async () => {
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

it('does not count against the site what a network asks beyond its own limit', async () => {
  const { take } = windowOf(1, 10_000, 1_000, 2);
  for (const isAllowed of [true, false, false, false])
    expect(await take('a', 's')).toMatchObject({ isAllowed });
  expect(await take('b', 's')).toMatchObject({ isAllowed: true });
  expect(await take('c', 's')).toMatchObject({ isAllowed: false, limit: 2 });
});

it('keeps room for others whatever one site asks, refused networks taking up none', async () => {
  const { take } = windowOf(5, 10_000, 12, 10);
  for (let network = 0; network < 100; network++)
    expect(await take(`n${network}`, 's')).toMatchObject({ isAllowed: network < 10 });
  expect(await take('other', 't')).toMatchObject({ isAllowed: true });
  expect(await take('192.0.2.1')).toMatchObject({ isAllowed: true });
  await expect(take('192.0.2.2')).rejects.toThrow('more than 12 networks in one window');
  // Nor does a site fill up with networks that there was no room for.
  for (let times = 0; times < 4; times++) await take('other', 't');
  expect(await take('other', 't')).toMatchObject({ isAllowed: false, limit: 5 });
});
