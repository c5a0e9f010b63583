import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { applyChanges, partition } from '../apply/apply-changes.ts';
import { enforceLimits } from '../apply/enforce-limits.ts';
import { retryClashes, sortRecords } from '../apply/ingest-batch.ts';
import { countRecords } from '../apply/record-counts.ts';
import { DEFAULT_LIMITS, type RecordLimits } from '../record-limits.ts';
import { claimDeadLetters, decodeDeadLetter } from './claim-dead-letters.ts';
import { type DecodedDeadLetter, isOfPastEpoch, outcomesOf, type ReplayState } from './replay-outcome.ts';
import { type DeadLetterSelector, planReplay, replayBatches } from './select-dead-letters.ts';
import { type Settlement, settleReplayed } from './settle-replayed.ts';
import { supersedeDeadLetters, supersedeOutdated } from './supersede.ts';

export interface ReplayOptions extends Settlement, ReplayRules {
  readonly selector: DeadLetterSelector;
  readonly ratePerSecond: number;
  /** For the audit: a name of the selection. */
  readonly target: string;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ReplayRules {
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: RecordLimits | undefined;
  /** The operator has checked that positions and times beyond the limits are right. */
  readonly acceptsPositions?: boolean | undefined;
}

/** The outcomes of the dead letters that were open when the replay began. */
export interface ReplayCounts {
  readonly replayed: number;
  /** Older than the stored row. */
  readonly superseded: number;
  /** Still invalid, with their current violations. */
  readonly open: number;
  /** Settled or locked by another process. */
  readonly elsewhere: number;
}

/** A replay reads no record again: only the newest positions are stored under this name. */
const REPLAYS = { group: 'replay', topic: 'dead letters', partition: 0 };

/** Dead letters in one transaction. */
export const REPLAY_BATCH = 300;

/**
 * Decodes open dead letters with the contracts of this release and applies the valid ones as ingest applies records,
 * from a key's oldest version on. Changes older than the stored row have no effect. May run concurrently with ingest
 * and with other replays. Each transaction writes an audit entry.
 */
export async function replayDeadLetters(
  pool: Pool,
  registry: Registry,
  options: ReplayOptions,
): Promise<ReplayCounts> {
  const { selector, ratePerSecond, onProgress } = options;
  await registry.readEpochs(pool);
  const planned = await planReplay(pool, selector);
  const states = new Map<number, ReplayState>();
  const startedAt = performance.now();
  let done = 0;
  for (const ids of replayBatches(planned, Math.min(REPLAY_BATCH, Math.ceil(ratePerSecond / 2)))) {
    const replayed = await retryClashes(
      () => transaction(pool, (client) => replayBatch(client, registry, ids, options)),
      () => registry.readEpochs(pool),
    );
    for (const [id, state] of replayed) states.set(id, state);
    done += ids.length;
    onProgress?.(done, planned.length);
    if (done < planned.length) await pause(pauseMs(done, performance.now() - startedAt, ratePerSecond));
  }
  const found = planned.map(({ id }) => states.get(id));
  const count = (one: ReplayState | undefined): number => found.filter((state) => state === one).length;
  return {
    replayed: count('replayed'),
    superseded: count('superseded'),
    open: count('open'),
    elsewhere: count(undefined),
  };
}

/** The pause that keeps to the rate after `done` dead letters in `elapsedMs`. */
export const pauseMs = (done: number, elapsedMs: number, ratePerSecond: number): number =>
  Math.max(0, (done / ratePerSecond) * 1_000 - elapsedMs);

/**
 * Replays a batch in the caller's transaction.
 *
 * @returns the new states, by id, of these dead letters and of others that this batch superseded
 */
export async function replayBatch(
  client: ClientBase,
  registry: Registry,
  ids: readonly number[],
  options: Settlement & ReplayRules & Pick<ReplayOptions, 'target'>,
): Promise<ReadonlyMap<number, ReplayState>> {
  const { actor, why, target, limits = DEFAULT_LIMITS, acceptsPositions } = options;
  const claimed = await claimDeadLetters(client, ids);
  if (claimed.length === 0) return new Map();
  const all = claimed.map((one): DecodedDeadLetter => {
    return { claimed: one, record: one.record, decoded: decodeDeadLetter(one) };
  });
  const [past, ofNow] = partition(all, (one) => isOfPastEpoch(one.claimed, registry.epochOf));
  const checks = { limits, acceptsAll: acceptsPositions };
  const { records: current, newest } = await enforceLimits(client, registry, ofNow, checks);
  const { changes, truncates } = sortRecords(current);
  const applied = await applyChanges(client, registry, { changes, truncates });
  const outcomes = outcomesOf([...past, ...current], applied, registry.epochOf);
  await settleReplayed(client, outcomes, registry, options);
  await countRecords(client, registry, { ...applied, topicPartition: REPLAYS, records: [], newest });

  const states = new Map(outcomes.map(({ id, state }) => [id, state]));
  const partitionOf = new Map(current.map((one) => [one.record, one.claimed.partition]));
  const superseded = await supersedeDeadLetters(client, registry, {
    records: current,
    partitionOf: ({ record }) => partitionOf.get(record) ?? null,
    applied,
    actor,
  });
  const open = outcomes.flatMap(({ id, state }) => (state === 'open' ? [id] : []));
  const outdated = await supersedeOutdated(client, open, actor);
  for (const id of [...superseded, ...outdated]) states.set(id, 'superseded');

  const idsOf = (state: ReplayState): number[] =>
    claimed.flatMap(({ id }) => (states.get(id) === state ? [id] : []));
  const detail = { replayed: idsOf('replayed'), superseded: idsOf('superseded'), open: idsOf('open') };
  await recordAudit(client, { actor, action: 'dead-letters replay', target, reason: why, detail });
  return states;
}
