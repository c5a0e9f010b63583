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

/** Routes that count together, beside all others, and how many requests a minute a key has for them. */
const GROUP_LIMIT = { trackResolve: 60 } as const;
export type RateGroup = keyof typeof GROUP_LIMIT;

/** Every tier that a key may be issued in. */
export const TIERS: readonly string[] = ['standard', ...TIER_SHARE.keys()];

interface KeyStanding {
  readonly general: RateStanding;
  readonly groups: Readonly<Record<RateGroup, RateStanding>>;
}

export interface RateLimits {
  ofKey(key: AccessKey): RateStanding;
  /** Counts a request to routes that count together. */
  ofGroup(group: RateGroup, key: AccessKey): RateStanding;
  /** Where a key stands, without a request. */
  standingOf(key: AccessKey): KeyStanding;
  ofPublic(address: string): RateStanding;
  /** Counts a failed authentication. */
  ofFailure(address: string): RateStanding;
}

export function rateLimits({ perKey, perAddress }: RateLimitSettings, now: () => number): RateLimits {
  const keys = rateWindow(now);
  const groups = rateWindow(now);
  const visitors = rateWindow(now);
  const failures = rateWindow(now);
  const limitOf = (tier: string): number => Math.max(1, Math.round(perKey * shareOf(tier)));
  return {
    ofKey: ({ id, tier }) => keys.take(id, limitOf(tier)),
    ofGroup: (group, { id, tier }) => groups.take(`${group} ${id}`, groupLimitOf(group, tier)),
    standingOf: ({ id, tier }) => ({
      general: keys.look(id, limitOf(tier)),
      groups: {
        trackResolve: groups.look(`trackResolve ${id}`, groupLimitOf('trackResolve', tier)),
      },
    }),
    ofPublic: (address) => visitors.take(address, perAddress),
    ofFailure: (address) => failures.take(address, perAddress),
  };
}

/** What is told of the group holds for every key, if not more. */
const groupLimitOf = (group: RateGroup, tier: string): number =>
  GROUP_LIMIT[group] * Math.max(1, shareOf(tier));

const shareOf = (tier: string): number => TIER_SHARE.get(tier) ?? 1;
