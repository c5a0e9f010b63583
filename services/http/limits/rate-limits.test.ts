import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LimitDecision, limitCounters, rateLimits } from './rate-limits.ts';
import { localSlots } from './slots.ts';
import { planLimits, type RateGroup, type RateLimitSettings } from './tiers.ts';
import { memoryWindows } from './windows.ts';

function limits(changed: Partial<RateLimitSettings> = {}, isRemote = false) {
  const clock = { steady: () => 0, wall: () => 0 };
  const plan = planLimits({ perKey: 600, perAddress: 60, ...changed });
  const { ofKey, ofAddress, ofFailure, usageOf } = rateLimits(plan, clock, {
    ...limitCounters(clock, null),
    isRemote,
  });
  return {
    ofKey: (id: string, tier = 'standard', group?: RateGroup) => ofKey({ id, tier }, group),
    ofAddress,
    ofFailure,
    usageOf: (id: string, tier = 'standard') => usageOf({ id, tier }),
  };
}

/** A request that ends as soon as it is accepted. */
async function passing(request: Promise<LimitDecision>): Promise<void> {
  (await request).slot?.release();
}

it('gives some tiers a share of the standard limits', async () => {
  const { ofKey } = limits();
  const decisions = ['standard', 'trial', 'unlimited', 'unknown'].map((tier) => ofKey(tier, tier));
  expect((await Promise.all(decisions)).map(({ state }) => state.limit)).toEqual([600, 60, 600_000, 600]);
});

it('gives every tier at least the documented limit of a group', async () => {
  const { ofKey } = limits();
  const decisions = ['standard', 'trial', 'unlimited'].map((tier) => ofKey(tier, tier, 'trackResolve'));
  expect((await Promise.all(decisions)).map(({ state }) => state.limit)).toEqual([60, 60, 60_000]);
});

it('describes limits as policies', async () => {
  const { ofAddress, ofFailure, ofKey } = limits();
  const concurrency = (most: number) => `"concurrency";q=${most};qu="concurrent-requests"`;
  expect((await ofKey('a')).policies).toBe(`"default";q=600;w=60, ${concurrency(500)}`);
  expect((await ofKey('a', 'trial')).policies).toBe(
    `"default";q=60;w=60, "tier";q=600;w=60, ${concurrency(50)}`,
  );
  expect((await ofKey('a', 'unlimited')).policies).toBe('"default";q=600000;w=60');
  expect((await ofKey('b', 'standard', 'trackResolve')).policies).toBe(
    `"track-resolve";q=60;w=60, "default";q=600;w=60, ${concurrency(500)}`,
  );
  expect((await ofAddress('192.0.2.1')).policies).toBe('"address";q=60;w=60');
  expect((await ofFailure('192.0.2.1')).policies).toBe('"failed-authentications";q=60;w=60');
});

it('counts each key, and a group separately', async () => {
  const { ofKey } = limits();
  for (let count = 1; count <= 60; count++)
    expect((await ofKey('a', 'standard', 'trackResolve')).state.remaining).toBe(60 - count);
  const rejected = await ofKey('a', 'standard', 'trackResolve');
  expect(rejected).toMatchObject({ rejectedBy: 'rate', slot: null, policy: { name: 'track-resolve' } });
  expect((await ofKey('b', 'standard', 'trackResolve')).state.remaining).toBe(59);
  // The key's window had counted the request that the group rejected.
  expect((await ofKey('a')).state.remaining).toBe(600 - 62);
});

it('limits all keys of the trial tier together to the limit of one standard key', async () => {
  const { ofKey } = limits({ perKey: 20 });
  for (let key = 0; key < 10; key++)
    for (let times = 0; times < 2; times++) expect((await ofKey(`k${key}`, 'trial')).rejectedBy).toBeNull();
  const rejected = await ofKey('another', 'trial');
  expect(rejected).toMatchObject({ rejectedBy: 'rate', policy: { name: 'tier' }, slot: null });
  expect(rejected.state).toMatchObject({ limit: 20, remaining: 0 });
  expect((await ofKey('standard')).rejectedBy).toBeNull();
});

it('limits the concurrency of a key, and does not count the requests this rejects', async () => {
  const { ofKey } = limits({ concurrencyPerKey: 2 });
  const [first, second] = [await ofKey('a'), await ofKey('a')];
  const rejected = await ofKey('a');
  expect(rejected).toMatchObject({ rejectedBy: 'concurrency', policy: { name: 'default' }, slot: null });
  expect(rejected.state).toMatchObject({ limit: 600, remaining: 598 });
  expect((await ofKey('b')).rejectedBy).toBeNull();
  first.slot?.release();
  expect(await ofKey('a')).toMatchObject({ rejectedBy: null, state: { remaining: 597 } });
  expect((await ofKey('a')).rejectedBy).toBe('concurrency');
  second.slot?.release();
  expect((await ofKey('a')).rejectedBy).toBeNull();
});

it('does not limit the concurrency of unlimited keys, and gives every key at least one slot', async () => {
  const { ofKey } = limits({ concurrencyPerKey: 1 });
  for (let times = 0; times < 50; times++) expect((await ofKey('a', 'unlimited')).rejectedBy).toBeNull();
  expect((await ofKey('b', 'trial')).rejectedBy).toBeNull();
  expect((await ofKey('b', 'trial')).rejectedBy).toBe('concurrency');
});

it('takes no slot for a request that a window rejects', async () => {
  const { ofKey } = limits({ perKey: 1, concurrencyPerKey: 1 });
  await passing(ofKey('a'));
  expect((await ofKey('a')).rejectedBy).toBe('rate');
  expect((await ofKey('a')).rejectedBy).toBe('rate');
});

it('counts addresses and failed authentications separately', async () => {
  const { ofAddress, ofFailure } = limits({ perAddress: 1 });
  expect((await ofAddress('192.0.2.1')).rejectedBy).toBeNull();
  expect((await ofAddress('192.0.2.1')).rejectedBy).toBe('rate');
  expect((await ofFailure('192.0.2.1')).rejectedBy).toBeNull();
  expect((await ofAddress('192.0.2.2')).rejectedBy).toBeNull();
});

it.each([
  ['an IPv6 /48', 10, (index: number) => `2001:db8:7:${index}::/64`, '2001:db8:8:1::/64', 'address-site'],
  ['an IPv4 /24', 10, (index: number) => `192.0.2.${index}`, '192.0.3.1', 'address-site'],
  ['an IPv6 /32', 100, (index: number) => `2001:db8:${index}:1::/64`, '2001:db9:1:1::/64', 'address-block'],
  ['an IPv4 /16', 100, (index: number) => `192.0.${index}.1`, '192.1.0.1', 'address-block'],
])('limits all networks of %s to %i times one of them', async (_, networks, networkAt, other, policy) => {
  const { ofAddress, ofFailure } = limits({ perAddress: 1 });
  for (const count of [ofAddress, ofFailure]) {
    const name = count === ofAddress ? policy : policy.replace('address', 'failed-authentications');
    for (let index = 1; index <= networks; index++)
      expect((await count(networkAt(index))).rejectedBy).toBeNull();
    const rejected = await count(networkAt(networks + 1));
    expect(rejected).toMatchObject({ rejectedBy: 'rate', policy: { name } });
    expect((await count(other)).rejectedBy).toBeNull();
  }
});

it('never rejects a network without a request because the table is full', async () => {
  const clock = { steady: () => 0, wall: () => 0 };
  const counters = { windows: memoryWindows(clock, 3), slots: localSlots(), isRemote: false };
  const { ofAddress } = rateLimits(planLimits({ perKey: 1, perAddress: 1 }), clock, counters);
  for (let index = 0; index < 1_000; index++) {
    const network = `2001:${index.toString(16)}:1:1::/64`;
    expect((await ofAddress(network)).rejectedBy).toBeNull();
    expect((await ofAddress(network)).rejectedBy).toBe('rate');
  }
});

it('reads usage without counting', async () => {
  const { ofKey, usageOf } = limits();
  await ofKey('a', 'trial');
  await passing(ofKey('a', 'trial', 'trackResolve'));
  for (let reads = 0; reads < 2; reads++) {
    const { general, groups, shared, inFlight } = await usageOf('a', 'trial');
    const window = { isAllowed: true, resetAt: 60, retryAfterSeconds: 60 };
    expect(general).toEqual({ ...window, limit: 60, remaining: 58 });
    expect(shared).toEqual({ ...window, limit: 600, remaining: 598 });
    expect(groups.trackResolve).toEqual({ ...window, limit: 60, remaining: 59 });
    expect(inFlight).toBe(1);
  }
  expect((await usageOf('b')).shared).toBeNull();
});

it('accepts as many of the requests it counts together as the limits allow, the earliest first', async () => {
  const limit = fc.integer({ min: 1, max: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        requests: fc.integer({ min: 1, max: 12 }),
        earlier: fc.nat(8),
        perKey: limit,
        slots: limit,
      }),
      async ({ requests, earlier, perKey, slots }) => {
        const { ofKey } = limits({ perKey, concurrencyPerKey: slots }, true);
        for (let times = 0; times < earlier; times++) await passing(ofKey('a'));
        const decisions = await Promise.all(Array.from({ length: requests }, () => ofKey('a')));
        const accepted = Math.min(requests, slots, Math.max(0, perKey - earlier));
        expect(decisions.map(({ rejectedBy }) => rejectedBy === null)).toEqual(
          Array.from({ length: requests }, (_, index) => index < accepted),
        );
        for (const [index, { rejectedBy, state }] of decisions.entries()) {
          if (rejectedBy !== 'concurrency') expect(state.isAllowed).toBe(rejectedBy === null);
          if (rejectedBy === null) expect(state.remaining).toBe(perKey - earlier - index - 1);
        }
      },
    ),
  );
});
