import type { AccessKey } from '../../access/verify-key.ts';
import { type RateStanding, rateWindow } from './rate-window.ts';

/** Requests a minute. */
export interface RateLimitSettings {
  /** Of a key of the standard tier, and of a tier that is not listed here. */
  readonly perKey: number;
  /** Of one address on public routes, and as many failed authentications. */
  readonly perAddress: number;
}

export const DEFAULT_RATE_LIMITS: RateLimitSettings = {
  perKey: 60_000,
  perAddress: 600,
};

/** Tiers that differ from the standard, as a share of it. */
const TIER_SHARE: ReadonlyMap<string, number> = new Map([
  ['trial', 0.1],
  ['unlimited', 1_000],
]);

/** Every tier that a key may be issued in. */
export const TIERS: readonly string[] = ['standard', ...TIER_SHARE.keys()];

export interface RateLimits {
  ofKey(key: AccessKey): RateStanding;
  ofPublic(address: string): RateStanding;
  /** Counts a failed authentication. */
  ofFailure(address: string): RateStanding;
}

export function rateLimits({ perKey, perAddress }: RateLimitSettings, now: () => number): RateLimits {
  const keys = rateWindow(now);
  const visitors = rateWindow(now);
  const failures = rateWindow(now);
  return {
    ofKey: ({ id, tier }) => keys.take(id, Math.max(1, Math.round(perKey * (TIER_SHARE.get(tier) ?? 1)))),
    ofPublic: (address) => visitors.take(address, perAddress),
    ofFailure: (address) => failures.take(address, perAddress),
  };
}
