import { type Cadence, STALE_AFTER_SECONDS } from '../../contracts/contract.ts';

/** How current something is; `unknown` before its first change or heartbeat. */
export const FRESHNESS_STATES = ['fresh', 'warn', 'error', 'unknown'] as const;
export type FreshnessState = (typeof FRESHNESS_STATES)[number];

/** Ages in seconds beyond which the state changes. */
export interface Thresholds {
  readonly warnSeconds: number;
  readonly errorSeconds: number;
}

/** A source that misses two refreshes is stale; one that misses four is an error. */
export const sourceThresholds = (cadence: Cadence): Thresholds => ({
  warnSeconds: STALE_AFTER_SECONDS[cadence],
  errorSeconds: STALE_AFTER_SECONDS[cadence] * 2,
});

/** For the lag of a projection and of a replica, which are normally seconds. */
export const PROCESS_THRESHOLDS: Thresholds = { warnSeconds: 60, errorSeconds: 300 };

/** @param ageSeconds null if there never was a change or heartbeat */
export function stateOf(
  ageSeconds: number | null,
  { warnSeconds, errorSeconds }: Thresholds,
): FreshnessState {
  if (ageSeconds === null) return 'unknown';
  if (ageSeconds > errorSeconds) return 'error';
  return ageSeconds > warnSeconds ? 'warn' : 'fresh';
}

/** Records of the last hour in which records came through the log. */
export interface RecentRecords {
  readonly read: number;
  /** Those with an older version than the stored row. */
  readonly older: number;
}

/** A repeated delivery may bring a few records that are older than the stored rows. */
const OLDER_RECORDS = 3;
const OLDER_SHARE = 0.05;

/** `warn` if many records are older than the stored rows: positions may have started over, so that changes are lost. */
export const stateOfRecords = ({ read, older }: RecentRecords): FreshnessState =>
  older >= OLDER_RECORDS && older > read * OLDER_SHARE ? 'warn' : 'fresh';

/** The worst of several states; `unknown` only if all are. */
export function worstState(states: Iterable<FreshnessState>): FreshnessState {
  const all = new Set(states);
  return (['error', 'warn', 'fresh'] as const).find((state) => all.has(state)) ?? 'unknown';
}
