import { type Cadence, STALE_AFTER_SECONDS } from '../sources/contract.ts';

/** How current something is; `unknown` where nothing was ever heard of it. */
export const FRESHNESS_STATES = ['fresh', 'warn', 'error', 'unknown'] as const;
export type FreshnessState = (typeof FRESHNESS_STATES)[number];

/** Ages in seconds beyond which the state changes. */
export interface Thresholds {
  readonly warnSeconds: number;
  readonly errorSeconds: number;
}

/** A source that misses two refreshes is stale; one that misses four is at fault. */
export const sourceThresholds = (cadence: Cadence): Thresholds => ({
  warnSeconds: STALE_AFTER_SECONDS[cadence],
  errorSeconds: STALE_AFTER_SECONDS[cadence] * 2,
});

/** Of applied changes that wait to be projected, and of a replica that falls behind: both are a matter of seconds. */
export const PROCESS_THRESHOLDS: Thresholds = { warnSeconds: 60, errorSeconds: 300 };

/** @param ageSeconds null where nothing was ever heard */
export function stateOf(
  ageSeconds: number | null,
  { warnSeconds, errorSeconds }: Thresholds,
): FreshnessState {
  if (ageSeconds === null) return 'unknown';
  if (ageSeconds > errorSeconds) return 'error';
  return ageSeconds > warnSeconds ? 'warn' : 'fresh';
}

/** The gravest of several states. What was never heard of weighs nothing, unless there is nothing else. */
export function gravest(states: Iterable<FreshnessState>): FreshnessState {
  const all = new Set(states);
  return (['error', 'warn', 'fresh'] as const).find((state) => all.has(state)) ?? 'unknown';
}
