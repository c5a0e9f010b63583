import { expect, it } from 'vitest';
import type { AccessKey } from '../../access/verify-key.ts';
import { rateLimits } from './rate-limits.ts';

const keyOf = (id: string, tier: string): AccessKey => ({
  id,
  tier,
  environment: 'test',
  expiresAt: null,
});
const limits = () => rateLimits({ perKey: 600, perAddress: 60 }, () => 0);

it('are a share of the standard for some tiers', () => {
  const { ofKey } = limits();
  expect(
    ['standard', 'trial', 'unlimited', 'unheard of'].map((tier) => ofKey(keyOf(tier, tier)).limit),
  ).toEqual([600, 60, 600_000, 600]);
});

it('of a group of routes are no less for any tier', () => {
  const { ofGroup } = limits();
  expect(
    ['standard', 'trial', 'unlimited'].map((tier) => ofGroup('trackResolve', keyOf(tier, tier)).limit),
  ).toEqual([60, 60, 60_000]);
});

it('count each key, and a group apart from all else', () => {
  const { ofGroup, ofKey } = limits();
  for (let count = 1; count <= 60; count++)
    expect(ofGroup('trackResolve', keyOf('a', 'standard')).remaining).toBe(60 - count);
  expect(ofGroup('trackResolve', keyOf('a', 'standard')).isAllowed).toBe(false);
  expect(ofGroup('trackResolve', keyOf('b', 'standard')).remaining).toBe(59);
  expect(ofKey(keyOf('a', 'standard')).remaining).toBe(599);
});

it('tell where a key stands without counting', () => {
  const { ofGroup, ofKey, standingOf } = limits();
  ofKey(keyOf('a', 'trial'));
  ofGroup('trackResolve', keyOf('a', 'trial'));
  for (let looks = 0; looks < 2; looks++) {
    const { general, groups } = standingOf(keyOf('a', 'trial'));
    expect(general).toEqual({
      isAllowed: true,
      limit: 60,
      remaining: 59,
      resetAt: 60,
      retryAfterSeconds: 60,
    });
    expect(groups.trackResolve).toMatchObject({ limit: 60, remaining: 59 });
  }
});
