import type { LimitPlan, RateLimits, TierLimits, Verdict } from '../rate-limits.ts';
import { type RateStanding, rateWindow, type WindowClock } from '../rate-window.ts';
import type { Places } from './places.ts';
import type { RatePolicy } from './policy.ts';

/** Counts in this process alone, and answers within the call. */
export function localLimits(plan: LimitPlan, clock: WindowClock, places: Places): RateLimits {
  const { address, failures } = plan;
  const windowOf = () => rateWindow({ clock, windowMs: address.windowMs });
  const keys = windowOf();
  const tiers = windowOf();
  const groups = windowOf();
  const visitors = windowOf();
  const failed = windowOf();

  /** The first limit in the way of a request that has a place; of those it passes, it has counted. */
  function count(id: string, tier: TierLimits, group: keyof TierLimits['groups'] | undefined): Counted {
    const { general, together } = tier;
    const standing = keys.take(id, general.limit);
    if (!standing.isAllowed) return { standing, policy: general };
    if (together !== null) {
      const ofTier = tiers.take(tier.name, together.limit);
      if (!ofTier.isAllowed) return { standing: ofTier, policy: together };
    }
    if (group === undefined) return { standing, policy: general };
    const policy = tier.groups[group];
    return { standing: groups.take(`${group} ${id}`, policy.limit), policy };
  }

  return {
    ofKey({ id, tier: name }, group, settle) {
      const tier = plan.tierOf(name);
      const policies = group === undefined ? tier.policies : tier.groupPolicies[group];
      if (tier.atOnce !== null && places.taken(id) >= tier.atOnce) {
        const standing = keys.look(id, tier.general.limit);
        settle({ refusedBy: 'concurrency', standing, policy: tier.general, policies, place: null });
        return;
      }
      const { standing, policy } = count(id, tier, group);
      const { isAllowed } = standing;
      const place = isAllowed ? places.take(id) : null;
      settle({ refusedBy: isAllowed ? null : 'rate', standing, policy, policies, place });
    },
    ofAddress: (subject, settle) => settle(withoutKey(address, visitors.take(subject, address.limit))),
    ofFailure: (subject, settle) => settle(withoutKey(failures, failed.take(subject, failures.limit))),
    async standingOf({ id, tier: name }) {
      const tier = plan.tierOf(name);
      const { general, together, groups: policies } = tier;
      return {
        tier,
        general: keys.look(id, general.limit),
        together: together === null ? null : tiers.look(tier.name, together.limit),
        groups: { trackResolve: groups.look(`trackResolve ${id}`, policies.trackResolve.limit) },
        underWay: places.taken(id),
      };
    },
  };
}

interface Counted {
  readonly standing: RateStanding;
  readonly policy: RatePolicy;
}

/** The verdict on a request that one window alone counts. */
export const withoutKey = (policy: RatePolicy, standing: RateStanding): Verdict => ({
  refusedBy: standing.isAllowed ? null : 'rate',
  standing,
  policy,
  policies: policy.member,
  place: null,
});
