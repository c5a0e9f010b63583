import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ratePolicy } from './policy.ts';
import { slidingWindow } from './sliding-window.ts';

const START = Date.UTC(2024, 0, 1);

function windowOf(limit: number, windowMs: number, maxNetworks = 1_000, [site, block] = [1_000, 1_000]) {
  let now = START;
  let step = 0;
  const clock = { steady: () => now, wall: () => now + step };
  const policies = [
    ratePolicy('test', limit, windowMs),
    ratePolicy('test-site', site ?? 0, windowMs),
    ratePolicy('test-block', block ?? 0, windowMs),
  ];
  const { take } = slidingWindow({ policies, maxNetworks, clock });
  return {
    setClock: (ms: number) => {
      step = ms;
    },
    take: async (...networks: string[]) => (await take(networks.length === 0 ? ['a'] : networks)).state,
    policyOf: async (...networks: string[]) => (await take(networks)).policy.name,
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

it('applies the limit of a wider network to all its networks together', async () => {
  const { take, at } = windowOf(2, 10_000, 1_000, [3, 1_000]);
  expect(await take('a', 's')).toMatchObject({ limit: 2, remaining: 1 });
  at(1_000);
  expect(await take('b', 's')).toMatchObject({ limit: 2, remaining: 1 });
  expect(await take('c', 's')).toMatchObject({ isAllowed: true, limit: 3, remaining: 0 });
  expect(await take('d', 's')).toMatchObject({ isAllowed: false, limit: 3, remaining: 0 });
  expect(await take('d', 't')).toMatchObject({ isAllowed: true, limit: 2, remaining: 1 });
});

it.each([
  ['site', (index: number) => [`${index}`, 'site', 'block'], ['x', 'other', 'block']],
  ['block', (index: number) => [`${index}`, `${index}`, 'block'], ['x', 'x', 'other']],
])('bounds a %s of any number of networks, and names its policy', async (name, networksOf, other) => {
  const { take, policyOf } = windowOf(1, 10_000, 1_000, name === 'site' ? [20, 50] : [20, 20]);
  for (let index = 0; index < 20; index++) expect((await take(...networksOf(index))).isAllowed).toBe(true);
  expect(await policyOf(...networksOf(20))).toBe(`test-${name}`);
  expect(await take(...networksOf(20))).toMatchObject({ isAllowed: false, limit: 20 });
  expect((await take(...other)).isAllowed).toBe(true);
});

it('counts wider networks by buckets, which leave late and together, but never early', async () => {
  const { take, at } = windowOf(10, 60_000, 1_000, [3, 1_000]);
  for (const [index, ms] of [100, 900, 1_100].entries()) {
    at(ms);
    expect((await take(`n${index}`, 's')).isAllowed).toBe(true);
  }
  at(60_999);
  expect(await take('x', 's')).toMatchObject({ isAllowed: false, limit: 3, retryAfterSeconds: 1 });
  at(61_000);
  for (const isAllowed of [true, true, false]) expect(await take('x', 's')).toMatchObject({ isAllowed });
});

it('never accepts more requests in the length of a window than the limit of any level', async () => {
  const visit = fc.record({ after: fc.integer({ min: 0, max: 300 }), network: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(visit, { maxLength: 80 }), async (visits) => {
      const { take, at } = windowOf(3, 1_000, 1_000, [5, 1_000]);
      const accepted: { ms: number; network: number }[] = [];
      let ms = 0;
      for (const { after, network } of visits) {
        ms += after;
        at(ms);
        if ((await take(`n${network}`, 's')).isAllowed) accepted.push({ ms, network });
        const recent = accepted.filter((visited) => visited.ms > ms - 1_000);
        expect(recent.length).toBeLessThanOrEqual(5);
        expect(recent.filter((visited) => visited.network === network).length).toBeLessThanOrEqual(3);
      }
    }),
  );
});

it('does not count requests beyond the limit of a network against wider ones', async () => {
  const { take } = windowOf(1, 10_000, 1_000, [2, 1_000]);
  for (const isAllowed of [true, false, false, false])
    expect(await take('a', 's')).toMatchObject({ isAllowed });
  expect(await take('b', 's')).toMatchObject({ isAllowed: true });
  expect(await take('c', 's')).toMatchObject({ isAllowed: false, limit: 2 });
});

it('bounds a site, even if its networks displace each other', async () => {
  const { take } = windowOf(5, 10_000, 3, [10, 1_000]);
  for (let network = 0; network < 100; network++)
    expect(await take(`n${network}`, 's')).toMatchObject({ isAllowed: network < 10 });
  for (let network = 1; network < 10; network++)
    expect(await take(`192.0.2.${network}`)).toMatchObject({ isAllowed: true });
  expect(await take('n0', 's')).toMatchObject({ isAllowed: false, limit: 10 });
});

it('never rejects a network without a request because the table is full', async () => {
  const { take } = windowOf(1, 10_000, 2, [1, 1]);
  for (let index = 0; index < 1_000; index++) {
    const networks = [`n${index}`, `s${index}`, `b${index}`];
    expect(await take(...networks)).toMatchObject({ isAllowed: true });
    expect(await take(...networks)).toMatchObject({ isAllowed: false });
  }
});
