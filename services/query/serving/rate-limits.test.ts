import { expect, it } from 'vitest';
import type { AccessKey } from '../../access/verify-key.ts';
import { localLimits } from './limits/local-limits.ts';
import { keyPlaces } from './limits/places.ts';
import { planLimits, type RateGroup, type RateLimitSettings, type Verdict } from './rate-limits.ts';

const keyOf = (id: string, tier: string): AccessKey => ({
  id,
  tier,
  environment: 'test',
  expiresAt: null,
});

function limits(changed: Partial<RateLimitSettings> = {}) {
  const clock = { steady: () => 0, wall: () => 0 };
  const plan = planLimits({ perKey: 600, perAddress: 60, ...changed });
  const local = localLimits(plan, clock, keyPlaces());
  const settled = (ask: (settle: (verdict: Verdict) => void) => void): Verdict => {
    const verdicts: Verdict[] = [];
    ask((verdict) => verdicts.push(verdict));
    const [verdict, ...more] = verdicts;
    if (verdict === undefined || more.length > 0) throw new Error('it was not settled once, within the call');
    return verdict;
  };
  return {
    ofKey: (id: string, tier = 'standard', group?: RateGroup) =>
      settled((settle) => local.ofKey(keyOf(id, tier), group, settle)),
    ofAddress: (address: string) => settled((settle) => local.ofAddress(address, settle)),
    ofFailure: (address: string) => settled((settle) => local.ofFailure(address, settle)),
    standingOf: (id: string, tier = 'standard') => local.standingOf(keyOf(id, tier)),
  };
}

/** A request that ends as soon as it was let in. */
function passing(verdict: Verdict): Verdict {
  verdict.place?.release();
  return verdict;
}

it('are a share of the standard for some tiers', () => {
  const { ofKey } = limits();
  expect(
    ['standard', 'trial', 'unlimited', 'unheard of'].map((tier) => ofKey(tier, tier).standing.limit),
  ).toEqual([600, 60, 600_000, 600]);
});

it('of a group of routes are no less for any tier', () => {
  const { ofKey } = limits();
  expect(
    ['standard', 'trial', 'unlimited'].map((tier) => ofKey(tier, tier, 'trackResolve').standing.limit),
  ).toEqual([60, 60, 60_000]);
});

it('are told as policies', () => {
  const { ofAddress, ofFailure, ofKey } = limits();
  const concurrency = (most: number) => `"concurrency";q=${most};qu="concurrent-requests"`;
  expect(ofKey('a').policies).toBe(`"default";q=600;w=60, ${concurrency(500)}`);
  expect(ofKey('a', 'trial').policies).toBe(`"default";q=60;w=60, "tier";q=600;w=60, ${concurrency(50)}`);
  expect(ofKey('a', 'unlimited').policies).toBe('"default";q=600000;w=60');
  expect(ofKey('b', 'standard', 'trackResolve').policies).toBe(
    `"track-resolve";q=60;w=60, "default";q=600;w=60, ${concurrency(500)}`,
  );
  expect(ofAddress('192.0.2.1').policies).toBe('"address";q=60;w=60');
  expect(ofFailure('192.0.2.1').policies).toBe('"failed-authentications";q=60;w=60');
});

it('count each key, and a group apart from all else', () => {
  const { ofKey } = limits();
  for (let count = 1; count <= 60; count++)
    expect(ofKey('a', 'standard', 'trackResolve').standing.remaining).toBe(60 - count);
  const refused = ofKey('a', 'standard', 'trackResolve');
  expect(refused).toMatchObject({ refusedBy: 'rate', place: null, policy: { name: 'track-resolve' } });
  expect(ofKey('b', 'standard', 'trackResolve').standing.remaining).toBe(59);
  // What the group refused had counted among all requests before.
  expect(ofKey('a').standing.remaining).toBe(600 - 62);
});

it('hold the keys of the trial tier together to what one standard key has', () => {
  const { ofKey } = limits({ perKey: 20 });
  for (let key = 0; key < 10; key++)
    for (let times = 0; times < 2; times++) expect(ofKey(`k${key}`, 'trial').refusedBy).toBeNull();
  const refused = ofKey('another', 'trial');
  expect(refused).toMatchObject({ refusedBy: 'rate', policy: { name: 'tier' }, place: null });
  expect(refused.standing).toMatchObject({ limit: 20, remaining: 0 });
  expect(ofKey('standard').refusedBy).toBeNull();
});

it('hold a key to so many requests at once, counting none that is refused for it', () => {
  const { ofKey } = limits({ atOncePerKey: 2 });
  const [first, second] = [ofKey('a'), ofKey('a')];
  const refused = ofKey('a');
  expect(refused).toMatchObject({ refusedBy: 'concurrency', policy: { name: 'default' }, place: null });
  expect(refused.standing).toMatchObject({ limit: 600, remaining: 598 });
  expect(ofKey('b').refusedBy).toBeNull();
  first.place?.release();
  expect(ofKey('a')).toMatchObject({ refusedBy: null, standing: { remaining: 597 } });
  expect(ofKey('a').refusedBy).toBe('concurrency');
  second.place?.release();
  expect(ofKey('a').refusedBy).toBeNull();
});

it('let an unlimited key have any number of requests at once, and every key at least one', () => {
  const { ofKey } = limits({ atOncePerKey: 1 });
  for (let times = 0; times < 50; times++) expect(ofKey('a', 'unlimited').refusedBy).toBeNull();
  expect(ofKey('b', 'trial').refusedBy).toBeNull();
  expect(ofKey('b', 'trial').refusedBy).toBe('concurrency');
});

it('take no place for a request that a window refuses', () => {
  const { ofKey } = limits({ perKey: 1, atOncePerKey: 1 });
  passing(ofKey('a'));
  expect(ofKey('a').refusedBy).toBe('rate');
  expect(ofKey('a').refusedBy).toBe('rate');
});

it('count addresses and failed authentications apart', () => {
  const { ofAddress, ofFailure } = limits({ perAddress: 1 });
  expect(ofAddress('192.0.2.1').refusedBy).toBeNull();
  expect(ofAddress('192.0.2.1').refusedBy).toBe('rate');
  expect(ofFailure('192.0.2.1').refusedBy).toBeNull();
  expect(ofAddress('192.0.2.2').refusedBy).toBeNull();
});

it('tell where a key stands without counting', async () => {
  const { ofKey, standingOf } = limits();
  ofKey('a', 'trial');
  passing(ofKey('a', 'trial', 'trackResolve'));
  for (let looks = 0; looks < 2; looks++) {
    const { general, groups, together, underWay } = await standingOf('a', 'trial');
    const window = { isAllowed: true, resetAt: 60, retryAfterSeconds: 60 };
    expect(general).toEqual({ ...window, limit: 60, remaining: 58 });
    expect(together).toEqual({ ...window, limit: 600, remaining: 598 });
    expect(groups.trackResolve).toEqual({ ...window, limit: 60, remaining: 59 });
    expect(underWay).toBe(1);
  }
  expect((await standingOf('b')).together).toBeNull();
});
