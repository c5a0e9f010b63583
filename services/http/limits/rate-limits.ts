import { networkLevels } from '../client-network.ts';
import { coalesce } from './coalesce.ts';
import type { LimitStore } from './limit-store.ts';
import type { RateLimitState, RatePolicy } from './policy.ts';
import { type ConcurrencySlots, localSlots, type Releasable, sharedSlots } from './slots.ts';
import type { LimitPlan, RateGroup, TierLimits } from './tiers.ts';
import {
  type Counter,
  memoryWindows,
  type RateWindows,
  redisWindows,
  type WindowClock,
  type WindowCount,
  windowState,
} from './windows.ts';

/** What limits have to know of an API key. */
interface LimitedKey {
  readonly id: string;
  readonly tier: string;
}

export interface LimitDecision {
  /** The kind of limit that rejects the request; null if it is accepted. */
  readonly rejectedBy: 'rate' | 'concurrency' | null;
  /** The window that the response reports. */
  readonly state: RateLimitState;
  readonly policy: RatePolicy;
  /** The header `RateLimit-Policy`. */
  readonly policies: string;
  /** The slot of an accepted request with a key. */
  readonly slot: Releasable | null;
}

export interface KeyUsage {
  readonly tier: TierLimits;
  readonly general: RateLimitState;
  readonly shared: RateLimitState | null;
  readonly groups: Readonly<Record<RateGroup, RateLimitState>>;
  /** In-flight requests of the key, this one included. */
  readonly inFlight: number;
}

/** Counts requests. Never rejects. */
export interface RateLimits {
  /** Counts a request of a key, in its group of routes if it has one, and acquires its slot. */
  ofKey(key: LimitedKey, group: RateGroup | undefined): Promise<LimitDecision>;
  /** Counts a request without a key. */
  ofAddress(address: string): Promise<LimitDecision>;
  /** Counts a failed authentication. */
  ofFailure(address: string): Promise<LimitDecision>;
  /** Reads the usage of a key without counting a request. */
  usageOf(key: LimitedKey): Promise<KeyUsage>;
}

/** A window that counts requests, and what it had counted before them. */
interface CountedWindow extends WindowCount {
  readonly policy: RatePolicy;
}

interface KeyRequest {
  readonly key: LimitedKey;
  readonly group: RateGroup | undefined;
}

/** Where requests are counted. */
export interface LimitCounters {
  readonly windows: RateWindows;
  readonly slots: ConcurrencySlots;
  /** Whether counting costs a round trip, which requests share then. */
  readonly isRemote: boolean;
}

/** @param store shared by all processes; without it each process counts its own requests */
export function limitCounters(clock: WindowClock, store: LimitStore | null): LimitCounters {
  const windows = memoryWindows(clock);
  if (store === null) return { windows, slots: localSlots(), isRemote: false };
  return { windows: redisWindows(store, windows), slots: sharedSlots(store), isRemote: true };
}

/**
 * Checks the slots of a key first, then each of its windows, which count the requests that all limits before them accept.
 */
export function rateLimits(
  plan: LimitPlan,
  clock: WindowClock,
  { windows, slots, isRemote }: LimitCounters,
): RateLimits {
  const stateOf = ({ policy, before, msLeft }: CountedWindow, more: number): RateLimitState =>
    windowState(policy, { used: before + more, msLeft }, clock.wall());

  async function count(counters: readonly Counter[], requests: number): Promise<CountedWindow[]> {
    const counts = await windows.add(counters, requests);
    return counts.map((counted, index) => ({ ...counted, policy: (counters[index] as Counter).policy }));
  }

  /** Decides on the request at an index among those counted together; accepted ones report the window `shown`. */
  function decide(counted: readonly CountedWindow[], index: number, shown: number) {
    const full = counted.find(({ policy, before }) => before + index >= policy.limit);
    const window = (full ?? counted[shown]) as CountedWindow;
    const rejectedBy: 'rate' | null = full === undefined ? null : 'rate';
    return { rejectedBy, state: stateOf(window, index + 1), policy: window.policy };
  }

  async function decideOnKey(
    { key: { id, tier: name }, group }: KeyRequest,
    requests: number,
  ): Promise<LimitDecision[]> {
    const tier = plan.tierOf(name);
    const policies = group === undefined ? tier.policies : tier.groupPolicies[group];
    const granted = await slots.acquire(id, requests, tier.concurrency);
    const counters = countersOf(id, tier, group);
    const counted = await count(counters, granted);
    const slot = { release: () => slots.release(id, tier.concurrency) };
    return Array.from({ length: requests }, (_, index) => {
      if (index >= granted) {
        const [general] = counted as [CountedWindow];
        const more = Math.min(granted, Math.max(0, tier.general.limit - general.before));
        const state = stateOf(general, more);
        return { rejectedBy: 'concurrency', state, policy: tier.general, policies, slot: null };
      }
      const decision = decide(counted, index, group === undefined ? 0 : counters.length - 1);
      if (decision.rejectedBy === null) return { ...decision, policies, slot };
      slot.release();
      return { ...decision, policies, slot: null };
    });
  }

  async function decideOnVisitor(counters: readonly Counter[], requests: number): Promise<LimitDecision[]> {
    const counted = await count(counters, requests);
    return Array.from({ length: requests }, (_, index) => ({
      ...decide(counted, index, 0),
      policies: counters[0]?.policy.member ?? '',
      slot: null,
    }));
  }

  const batched = <Subject>(run: (subject: Subject, requests: number) => Promise<LimitDecision[]>) =>
    isRemote
      ? coalesce(run)
      : async (_name: string, subject: Subject) => (await run(subject, 1))[0] as LimitDecision;
  const ofKey = batched(decideOnKey);
  const ofVisitor = batched(decideOnVisitor);
  const visitorCounter =
    (kind: string, policies: readonly RatePolicy[]) =>
    (address: string): Promise<LimitDecision> => {
      const counters = networkLevels(address).map((network, level) => ({
        subject: `${kind}:${network}`,
        policy: policies[level] as RatePolicy,
      }));
      return ofVisitor(`${kind}:${address}`, counters);
    };

  return {
    ofKey: (key, group) => ofKey(`${group ?? ''} ${key.id}`, { key, group }),
    ofAddress: visitorCounter('address', plan.address),
    ofFailure: visitorCounter('failures', plan.failures),
    async usageOf({ id, tier: name }) {
      const tier = plan.tierOf(name);
      const counted = await count(countersOf(id, tier, 'trackResolve'), 0);
      const [general, ...narrower] = counted.map((window) => stateOf(window, 0));
      const trackResolve = narrower.pop();
      const [ofTier = null] = narrower;
      return {
        tier,
        general: general as RateLimitState,
        shared: ofTier,
        groups: { trackResolve: trackResolve as RateLimitState },
        inFlight: await slots.taken(id, tier.concurrency),
      };
    },
  };
}

/** The windows that count a request: of the key, of all keys of its tier, of its group of routes. */
function countersOf(id: string, tier: TierLimits, group: RateGroup | undefined): Counter[] {
  return [
    { subject: `key:${id}`, policy: tier.general },
    ...(tier.shared === null ? [] : [{ subject: `tier:${tier.name}`, policy: tier.shared }]),
    ...(group === undefined ? [] : [{ subject: `${group}:${id}`, policy: tier.groups[group] }]),
  ];
}
