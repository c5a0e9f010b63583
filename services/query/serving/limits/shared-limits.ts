import { randomUUID } from 'node:crypto';
import type { AccessKey } from '../../../access/verify-key.ts';
import type { KeyStanding, LimitPlan, RateGroup, RateLimits, TierLimits } from '../rate-limits.ts';
import type { WindowClock } from '../rate-window.ts';
import { decide, standingAt } from './decide.ts';
import type { LimitStore } from './limit-store.ts';
import { localLimits, withoutKey } from './local-limits.ts';
import { keyPlaces } from './places.ts';
import type { RatePolicy } from './policy.ts';
import { type AskedPlaces, type AskedWindow, questionBatches } from './question-batches.ts';

/**
 * Counts in the store, together with all processes that do. Where the store does not answer, nobody is refused for it:
 * the process goes on to count by itself.
 */
export function sharedLimits(plan: LimitPlan, store: LimitStore, clock: WindowClock): RateLimits {
  const batches = questionBatches(store, randomUUID());
  const limited = keyPlaces((id) => {
    if (store.isUp()) batches.tell(placesOf(id));
  });
  // Of keys that may have any number of requests under way nobody else has to know.
  const unlimited = keyPlaces();
  const local = localLimits(plan, clock, limited);

  const placesOf = (id: string, most = Number.MAX_SAFE_INTEGER): AskedPlaces => ({
    key: store.keyOf('places', id),
    most,
    own: () => limited.taken(id),
  });
  const windowOf = (kind: string, subject: string, policy: RatePolicy): AskedWindow => ({
    key: store.keyOf(kind, subject),
    policy,
  });
  const questionOf = (id: string, tier: TierLimits, group: RateGroup | undefined) => ({
    places: tier.atOnce === null ? null : placesOf(id, tier.atOnce),
    windows: [
      windowOf('key', id, tier.general),
      ...(tier.together === null ? [] : [windowOf('tier', tier.name, tier.together)]),
      ...(group === undefined ? [] : [windowOf(group, id, tier.groups[group])]),
    ],
  });

  /** Counts in one window alone, under the address that asks. */
  const ofVisitor =
    (kind: string, policy: RatePolicy, otherwise: RateLimits['ofAddress']): RateLimits['ofAddress'] =>
    (address, settle) => {
      if (!store.isUp()) return otherwise(address, settle);
      const question = () => ({ places: null, windows: [windowOf(kind, address, policy)] });
      batches.ask(`${kind} ${address}`, question, {
        answered: ({ now, used: [used = 0] }, earlier) =>
          settle(withoutKey(policy, standingAt(policy, used + earlier + 1, now))),
        failed: () => otherwise(address, settle),
      });
    };

  async function lookAt({ id, tier: name }: AccessKey): Promise<KeyStanding> {
    const tier = plan.tierOf(name);
    const { general, together, groups, atOnce } = tier;
    const { now, used, taken } = await batches.look(questionOf(id, tier, 'trackResolve'));
    return {
      tier,
      general: standingAt(general, used[0] ?? 0, now),
      together: together === null ? null : standingAt(together, used[1] ?? 0, now),
      groups: { trackResolve: standingAt(groups.trackResolve, used.at(-1) ?? 0, now) },
      underWay: atOnce === null ? unlimited.taken(id) : taken,
    };
  }

  return {
    ofKey(key, group, settle) {
      if (!store.isUp()) return local.ofKey(key, group, settle);
      const { id } = key;
      const tier = plan.tierOf(key.tier);
      const { atOnce: most } = tier;
      batches.ask(`key ${group ?? ''} ${id}`, () => questionOf(id, tier, group), {
        answered(before, earlier, windows) {
          const shown = group === undefined ? 0 : windows.length - 1;
          const decision = decide({ windows, before, earlier, most, shown });
          const isIn = decision.refusedBy === null;
          settle({
            ...decision,
            policies: group === undefined ? tier.policies : tier.groupPolicies[group],
            place: isIn ? (most === null ? unlimited : limited).take(id) : null,
          });
        },
        failed: () => local.ofKey(key, group, settle),
      });
    },
    ofAddress: ofVisitor('address', plan.address, local.ofAddress),
    ofFailure: ofVisitor('failures', plan.failures, local.ofFailure),
    standingOf: (key) =>
      store.isUp() ? lookAt(key).catch(() => local.standingOf(key)) : local.standingOf(key),
  };
}
