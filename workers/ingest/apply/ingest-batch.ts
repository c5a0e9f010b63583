import type { Pool } from 'pg';
import { notify } from '../../../db/notify.ts';
import { transaction } from '../../../db/transaction.ts';
import { retry } from '../../../infra/runtime/retry.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { MARK_CHANNEL } from '../../../projections/engine/store/mark.ts';
import { completeMoved } from '../dead-letters/complete-moved.ts';
import { incompleteDeadLetters, quarantine, rejectedDeadLetters } from '../dead-letters/quarantine.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { DEFAULT_LIMITS, type RecordLimits } from '../record-limits.ts';
import type { SchemaRegistry } from '../schemas/schema-registry.ts';
import { type AppliedChanges, applyChanges } from './apply-changes.ts';
import { enforceLimits } from './enforce-limits.ts';
import { EpochRaised, restamp } from './epochs.ts';
import { noteHeartbeats } from './heartbeats.ts';
import { ConcurrentWrite } from './mirror.ts';
import { type NotedColumns, noteColumns } from './note-columns.ts';
import { noteSnapshots } from './note-snapshots.ts';
import { movePosition, type PositionMove } from './position.ts';
import { countRecords, type OutcomeCounts } from './record-counts.ts';
import { sortRecords } from './sort-records.ts';
import { measureLags } from './source-freshness.ts';
import { noteTransactions } from './transactions.ts';

/** Decoded records of one partition, and the position before and after them. */
export interface RecordBatch extends PositionMove {
  readonly records: readonly DecodedRecord[];
  /** When the records were read from the log, in milliseconds since 1970; missing if they were not. */
  readonly readAtMs?: number;
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: RecordLimits | undefined;
  /** For the dead letters that the batch completes; default: none. */
  readonly schemas?: SchemaRegistry | null | undefined;
  /** The time between heartbeats of a connector; null to learn it (default). */
  readonly heartbeatIntervalMs?: number | null | undefined;
}

/** How many records ended in which way, and how many rows have other content than before. */
export interface IngestResult extends OutcomeCounts {
  readonly changed: number;
  /** How the columns of its source's table have changed; missing if they have not. */
  readonly columns?: NotedColumns | undefined;
}

/**
 * Applies a batch in one transaction: mirror rows, dirty marks, dead letters, the counts of its records and the position.
 * Wakes the projectors after the commit.
 *
 * @throws PositionLost if another consumer has taken over the partition
 */
export async function ingestBatch(pool: Pool, registry: Registry, batch: RecordBatch): Promise<IngestResult> {
  let { records } = batch;
  const result = await retryClashes(
    () => ingestOnce(pool, registry, { ...batch, records }),
    async (error) => {
      if (!(error instanceof EpochRaised)) return;
      await registry.readEpochs(pool);
      records = batch.records.map(({ record, decoded }) => {
        return { record, decoded: restamp(decoded, registry.epochOf) };
      });
    },
  );
  if (result.applied > 0) void notify(pool, MARK_CHANNEL);
  return result;
}

async function ingestOnce(pool: Pool, registry: Registry, batch: RecordBatch): Promise<IngestResult> {
  const { topicPartition, readAtMs, limits = DEFAULT_LIMITS, schemas, heartbeatIntervalMs = null } = batch;
  return transaction(pool, async (client) => {
    await movePosition(client, batch);
    const { records, newest } = await enforceLimits(client, registry, batch.records, { limits });
    const { changes, truncates, heartbeats } = sortRecords(records);
    const lags = readAtMs === undefined ? undefined : measureLags(records, readAtMs, registry);
    const deadLetters = rejectedDeadLetters(records, topicPartition);
    let applied: AppliedChanges = NOTHING;
    if (changes.length + truncates.length > 0) {
      applied = await applyChanges(client, registry, { changes, truncates, lags });
      deadLetters.push(...incompleteDeadLetters(records, applied.incomplete, topicPartition));
    }
    await quarantine(client, registry, { deadLetters, records, partition: topicPartition, applied });
    await completeMoved(client, registry, changes, { schemas });
    if (heartbeats.length > 0) await noteHeartbeats(client, heartbeats, heartbeatIntervalMs);
    await noteTransactions(client, registry, { partition: topicPartition, records });
    await noteSnapshots(client, registry, { partition: topicPartition, records });
    // Files may lack columns, and are not read in the order of the log.
    const columns =
      readAtMs === undefined
        ? null
        : await noteColumns(client, registry, { records, schemas: schemas ?? undefined });
    const { changed, outcomes } = applied;
    const counts = await countRecords(client, registry, { topicPartition, records, outcomes, newest });
    return columns === null ? { ...counts, changed } : { ...counts, changed, columns };
  });
}

const NOTHING: AppliedChanges = {
  settled: [],
  truncated: [],
  outcomes: new Map(),
  changed: 0,
  incomplete: [],
};

const CLASHES = { backoff: { firstMs: 0, maxMs: 0 }, retries: 11 };
const DEADLOCK = '40P01';

/**
 * Runs a transaction that applies changes, and repeats it when it clashed with another.
 *
 * @param afterClash runs before the next attempt
 */
export function retryClashes<T>(
  run: () => Promise<T>,
  afterClash: (error: unknown) => Promise<void>,
): Promise<T> {
  let prepare = async () => {};
  const attempt = () => prepare().then(run);
  return retry(attempt, {
    ...CLASHES,
    isRetryable: isClash,
    onFailure({ error }) {
      prepare = () => afterClash(error);
    },
  });
}

const isClash = (error: unknown): boolean =>
  error instanceof ConcurrentWrite ||
  error instanceof EpochRaised ||
  (error as { code?: string }).code === DEADLOCK;
