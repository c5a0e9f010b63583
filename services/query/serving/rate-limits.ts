import type { AccessKey } from '../../access/verify-key.ts';
import { concurrencyMember, type RatePolicy, ratePolicy } from './limits/policy.ts';
import type { RateStanding } from './rate-window.ts';

/** Requests a minute. */
export interface RateLimitSettings {
  /** Of a key of the standard tier, and of a tier that is not listed here. */
  readonly perKey: number;
  /** Of one address on public routes, and as many failed authentications. */
  readonly perAddress: number;
  /** Requests of a key of the standard tier that may be under way at once. */
  readonly atOncePerKey?: number;
  /** Length of the windows, whole seconds in milliseconds; a minute unless given. */
  readonly windowMs?: number;
}

const DEFAULT_AT_ONCE = 500;

export const DEFAULT_RATE_LIMITS = {
  perKey: 60_000,
  perAddress: 600,
  atOncePerKey: DEFAULT_AT_ONCE,
} as const satisfies RateLimitSettings;

const MINUTE_MS = 60_000;

interface TierShares {
  /** Of the requests that a standard key has, a minute and at once. */
  readonly share: number;
  readonly atOnce: number;
  /** All keys of the tier together, likewise; null where they do not count together. */
  readonly together: number | null;
}

const STANDARD: TierShares = { share: 1, atOnce: 1, together: null };
/** Anybody may try, but all who do take no more than one who is a customer. */
const TIER_SHARES: ReadonlyMap<string, TierShares> = new Map([
  ['standard', STANDARD],
  ['trial', { share: 0.1, atOnce: 0.1, together: 1 }],
  ['unlimited', { share: 1_000, atOnce: Number.POSITIVE_INFINITY, together: null }],
]);

/** Every tier that a key may be issued in. */
export const TIERS: readonly string[] = [...TIER_SHARES.keys()];

/** Routes that count together, beside all others, and how many requests a minute a key has for them. */
const GROUPS = { trackResolve: { name: 'track-resolve', limit: 60 } } as const;
export type RateGroup = keyof typeof GROUPS;

/** What holds for the keys of a tier. */
export interface TierLimits {
  readonly name: string;
  /** Of all requests of a key. */
  readonly general: RatePolicy;
  /** Of all keys of the tier together; null where they do not count together. */
  readonly together: RatePolicy | null;
  readonly groups: Readonly<Record<RateGroup, RatePolicy>>;
  /** Requests of a key under way at once; null for any number. */
  readonly atOnce: number | null;
  /** All that holds for a request, as the header `RateLimit-Policy` says it. */
  readonly policies: string;
  readonly groupPolicies: Readonly<Record<RateGroup, string>>;
}

export interface LimitPlan {
  tierOf(name: string): TierLimits;
  readonly address: RatePolicy;
  readonly failures: RatePolicy;
}

/** Every limit that the settings come to. */
export function planLimits(settings: RateLimitSettings): LimitPlan {
  const { perAddress, windowMs = MINUTE_MS } = settings;
  const tiers = new Map([...TIER_SHARES].map(([name, shares]) => [name, planTier(name, shares, settings)]));
  const standard = planTier('standard', STANDARD, settings);
  return {
    tierOf: (name) => tiers.get(name) ?? standard,
    address: ratePolicy('address', perAddress, windowMs),
    failures: ratePolicy('failed-authentications', perAddress, windowMs),
  };
}

function planTier(
  name: string,
  { share, atOnce, together }: TierShares,
  settings: RateLimitSettings,
): TierLimits {
  const { perKey, atOncePerKey = DEFAULT_AT_ONCE, windowMs = MINUTE_MS } = settings;
  const policyOf = (policy: string, limit: number) =>
    ratePolicy(policy, Math.max(1, Math.round(limit)), windowMs);
  const most = Math.max(1, Math.round(atOncePerKey * atOnce));
  const { name: group, limit } = GROUPS.trackResolve;
  const limits = {
    name,
    general: policyOf('default', perKey * share),
    together: together === null ? null : policyOf('tier', perKey * together),
    // What is told of the group holds for every key, if not more.
    groups: { trackResolve: policyOf(group, limit * Math.max(1, share)) },
    atOnce: Number.isFinite(most) ? most : null,
  };
  const members = [
    limits.general.member,
    ...(limits.together === null ? [] : [limits.together.member]),
    ...(limits.atOnce === null ? [] : [concurrencyMember(limits.atOnce)]),
  ].join(', ');
  return {
    ...limits,
    policies: members,
    groupPolicies: { trackResolve: `${limits.groups.trackResolve.member}, ${members}` },
  };
}

/** Something that is given back when a request has ended. */
export interface Releasable {
  release(): void;
}

/** What becomes of a request. */
export interface Verdict {
  /** The limit that it is beyond; null where it is let in. */
  readonly refusedBy: 'rate' | 'concurrency' | null;
  /** Where it stands in the window that clients are told of. */
  readonly standing: RateStanding;
  /** The policy of that window. */
  readonly policy: RatePolicy;
  /** All policies that hold for it, as the header says them. */
  readonly policies: string;
  /** Its place among those under way; to be released when it has ended. */
  readonly place: Releasable | null;
}

export interface KeyStanding {
  readonly tier: TierLimits;
  readonly general: RateStanding;
  readonly together: RateStanding | null;
  readonly groups: Readonly<Record<RateGroup, RateStanding>>;
  /** Requests of the key under way, this one included. */
  readonly underWay: number;
}

/** Counts requests. It never fails; the answer may come at once, within the call. */
export interface RateLimits {
  /** Counts a request of a key, in a group of routes perhaps, and takes a place among those under way. */
  ofKey(key: AccessKey, group: RateGroup | undefined, settle: (verdict: Verdict) => void): void;
  /** Counts a request without a key. */
  ofAddress(address: string, settle: (verdict: Verdict) => void): void;
  /** Counts a failed authentication. */
  ofFailure(address: string, settle: (verdict: Verdict) => void): void;
  /** Where a key stands, without a request. */
  standingOf(key: AccessKey): Promise<KeyStanding>;
}
