import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { retryClashes } from '../apply/ingest-batch.ts';
import { type ReplayRules, replayBatch } from './replay-batch.ts';
import type { ReplayState } from './replay-outcome.ts';
import { type DeadLetterSelector, planReplay, replayBatches } from './select-dead-letters.ts';
import type { Settlement } from './settle-replayed.ts';

export interface ReplayOptions extends Settlement, ReplayRules {
  readonly selector: DeadLetterSelector;
  readonly ratePerSecond: number;
  /** For the audit: a name of the selection. */
  readonly target: string;
  readonly onProgress?: (done: number, total: number) => void;
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
