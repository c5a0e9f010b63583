import { concurrencyMember, type RatePolicy, ratePolicy } from './policy.ts';

/** Requests a minute. */
export interface RateLimitSettings {
  /** Of a key of the standard tier, or of an unknown tier. */
  readonly perKey: number;
  /** Of one address on public routes; the same limit holds for its failed authentications. */
  readonly perAddress: number;
  /** Concurrent requests of a key of the standard tier. */
  readonly concurrencyPerKey?: number;
  /** Length of the windows, whole seconds in milliseconds (default: a minute). */
  readonly windowMs?: number;
}

const DEFAULT_CONCURRENCY = 500;

export const DEFAULT_RATE_LIMITS = {
  perKey: 60_000,
  perAddress: 600,
  concurrencyPerKey: DEFAULT_CONCURRENCY,
} as const satisfies RateLimitSettings;

const MINUTE_MS = 60_000;

interface TierShares {
  /** Shares of a standard key's requests a minute, and of its concurrency. */
  readonly share: number;
  readonly concurrency: number;
  /** Share that all keys of the tier have together; null if they are counted separately. */
  readonly shared: number | null;
}

const STANDARD: TierShares = { share: 1, concurrency: 1, shared: null };
/** Anyone may get a trial key, but all trial keys together have what one standard key has. */
const TIER_SHARES: ReadonlyMap<string, TierShares> = new Map([
  ['standard', STANDARD],
  ['trial', { share: 0.1, concurrency: 0.1, shared: 1 }],
  ['unlimited', { share: 1_000, concurrency: Number.POSITIVE_INFINITY, shared: null }],
]);

/** The tiers that keys are issued in. */
export const TIERS: readonly string[] = [...TIER_SHARES.keys()];

/** Groups of routes with a limit of their own, in requests a minute of a key. */
const GROUPS = { trackResolve: { name: 'track-resolve', limit: 60 } } as const;
export type RateGroup = keyof typeof GROUPS;

/** The limits of a tier's keys. */
export interface TierLimits {
  readonly name: string;
  /** Of all requests of a key. */
  readonly general: RatePolicy;
  /** Of all keys of the tier together; null if they are counted separately. */
  readonly shared: RatePolicy | null;
  readonly groups: Readonly<Record<RateGroup, RatePolicy>>;
  /** Concurrent requests of a key; null for any number. */
  readonly concurrency: number | null;
  /** The header `RateLimit-Policy`. */
  readonly policies: string;
  readonly groupPolicies: Readonly<Record<RateGroup, string>>;
}

export interface LimitPlan {
  tierOf(name: string): TierLimits;
  /** Of an address, or an IPv6 /64, and of each wider network around it. */
  readonly address: readonly RatePolicy[];
  /** The same for failed authentications. */
  readonly failures: readonly RatePolicy[];
}

/** Computes all limits from the settings. */
export function planLimits(settings: RateLimitSettings): LimitPlan {
  const { perAddress, windowMs = MINUTE_MS } = settings;
  const tiers = new Map([...TIER_SHARES].map(([name, shares]) => [name, planTier(name, shares, settings)]));
  const standard = planTier('standard', STANDARD, settings);
  return {
    tierOf: (name) => tiers.get(name) ?? standard,
    address: networkPolicies('address', perAddress, windowMs),
    failures: networkPolicies('failed-authentications', perAddress, windowMs),
  };
}

/** A site has as much as 10 of its networks, and a provider as 100, so that a client with many networks is bounded too. */
export const networkPolicies = (name: string, limit: number, windowMs: number): RatePolicy[] => [
  ratePolicy(name, limit, windowMs),
  ratePolicy(`${name}-site`, 10 * limit, windowMs),
  ratePolicy(`${name}-block`, 100 * limit, windowMs),
];

function planTier(
  name: string,
  { share, concurrency, shared }: TierShares,
  settings: RateLimitSettings,
): TierLimits {
  const { perKey, concurrencyPerKey = DEFAULT_CONCURRENCY, windowMs = MINUTE_MS } = settings;
  const policyOf = (policy: string, limit: number) =>
    ratePolicy(policy, Math.max(1, Math.round(limit)), windowMs);
  const slots = Math.max(1, Math.round(concurrencyPerKey * concurrency));
  const { name: group, limit } = GROUPS.trackResolve;
  const limits = {
    name,
    general: policyOf('default', perKey * share),
    shared: shared === null ? null : policyOf('tier', perKey * shared),
    // The documented limit of the group is the least that any tier has.
    groups: { trackResolve: policyOf(group, limit * Math.max(1, share)) },
    concurrency: Number.isFinite(slots) ? slots : null,
  };
  const members = [
    limits.general.member,
    ...(limits.shared === null ? [] : [limits.shared.member]),
    ...(limits.concurrency === null ? [] : [concurrencyMember(limits.concurrency)]),
  ].join(', ');
  return {
    ...limits,
    policies: members,
    groupPolicies: { trackResolve: `${limits.groups.trackResolve.member}, ${members}` },
  };
}
