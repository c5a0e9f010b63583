import type { Admin, Batch, EachBatchPayload } from 'kafkajs';
import type { Pool } from 'pg';
import type { LoopLiveness, Watchdog } from '../../../infra/runtime/watchdog.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import type { DecodeContext } from '../decode/envelope.ts';
import { countBatch, countIngestRetry, setLag } from '../metrics.ts';
import type { RecordLimits } from '../record-limits.ts';
import type { PartitionAssignment } from './assigned-partitions.ts';
import { checkIdentity, checkRange } from './check-log.ts';
import type { OffsetCommits } from './commit-offsets.ts';
import { decodeMessages, ignoreKnownTombstone, lastDeleteOf } from './decode-messages.ts';
import type { AssignedPartition } from './partition-state.ts';
import { prefixOf } from './topic-prefixes.ts';

/** A batch may hold a truncate of a large table. */
const BATCH_LIMIT_MS = 900_000;

export interface BatchWork {
  readonly admin: Admin;
  readonly pool: Pool;
  readonly registry: Registry;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefixes: readonly string[];
  readonly limits?: RecordLimits;
  readonly heartbeatIntervalMs?: number | null;
  readonly assignment: PartitionAssignment;
  readonly commits: OffsetCommits;
  readonly heartbeatMs: number;
  readonly watchdog: Watchdog;
  isStopping(): boolean;
}

/** A fetched batch while it is applied. */
interface FetchedBatch {
  readonly assigned: AssignedPartition;
  readonly payload: EachBatchPayload;
  readonly liveness: LoopLiveness;
}

/** Records in one transaction: enough to spread its cost, few enough to hold locks for a fraction of a second. */
const MAX_BATCH = 5_000;

/**
 * Applies a fetched batch. It never waits for an unavailable dependency: it drops the records, and the partition fetches
 * them again later. Thus waiting partitions use no memory and do not delay others.
 *
 * @throws only errors of kafkajs, which kafkajs needs to handle a rebalance or a lost connection
 */
export async function applyFetchedBatch(work: BatchWork, payload: EachBatchPayload): Promise<void> {
  const { batch } = payload;
  const assigned = work.assignment.beginBatch(batch.topic, batch.partition);
  if (assigned === null) return;
  const liveness = work.watchdog.watch('batch', BATCH_LIMIT_MS);
  const fetched = { assigned, payload, liveness };
  try {
    if (!mayContinue(work, fetched)) return;
    await checkContinuity(work.admin, assigned, batch);
    await applyBatch(work, fetched);
  } catch (error) {
    if (isOfKafka(error)) throw error;
    countIngestRetry();
    work.assignment.fail(assigned, error);
  } finally {
    liveness.stop();
    work.assignment.endBatch(assigned);
  }
}

function mayContinue({ assignment, isStopping }: BatchWork, { assigned, payload }: FetchedBatch): boolean {
  return assignment.isAssigned(assigned) && payload.isRunning() && !payload.isStale() && !isStopping();
}

/** An ES module cannot import the class itself. */
const isOfKafka = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS');

/** Where the fetch began, which may be before its first record. The types of kafkajs lack the field. */
const fetchedFrom = (batch: Batch & { readonly fetchedOffset?: string }): number =>
  Number(batch.fetchedOffset ?? batch.firstOffset());

/**
 * A fetch begins where the one before ended, unless the broker does not have that offset: then kafkajs silently starts
 * at another one.
 */
async function checkContinuity(admin: Admin, assigned: AssignedPartition, batch: Batch): Promise<void> {
  const { topicPartition, position, movedAt, next } = assigned;
  if (position === null || position === undefined) return;
  const from = fetchedFrom(batch);
  if (from !== next) await checkRange(admin, topicPartition, { position, fetchedFrom: from });
  if (movedAt !== null) await checkIdentity(admin, topicPartition, { position, movedAt });
}

async function applyBatch(work: BatchWork, fetched: FetchedBatch): Promise<void> {
  const readAtMs = Date.now();
  const { assigned, payload, liveness } = fetched;
  const { pool, registry, prefixes, limits, heartbeatIntervalMs, assignment, commits } = work;
  const { batch, resolveOffset, heartbeat } = payload;
  const { topicPartition } = assigned;
  const context: DecodeContext = { prefix: prefixOf(batch.topic, prefixes) ?? '', epoch: registry.epochOf };
  const messages = batch.messages.filter(({ offset }) => Number(offset) >= (assigned.position ?? 0));
  for (let start = 0; start < messages.length && mayContinue(work, fetched); start += MAX_BATCH) {
    const slice = messages.slice(start, start + MAX_BATCH);
    const { records: all, failure } = decodeMessages(batch, slice, context);
    const records = ignoreKnownTombstone(all, assigned.lastDelete);
    const last = records.at(-1)?.record.offset;
    if (last !== undefined) {
      const from = assigned.position ?? null;
      const to = last + 1;
      const startedAt = performance.now();
      const result = await withHeartbeats(heartbeat, work.heartbeatMs, () =>
        ingestBatch(pool, registry, {
          topicPartition,
          records,
          from,
          to,
          readAtMs,
          limits,
          heartbeatIntervalMs,
        }),
      );
      liveness.heartbeat();
      countBatch(result, (performance.now() - startedAt) / 1_000);
      setLag(batch.topic, batch.partition, Number(batch.highWatermark) - to);
      assigned.position = to;
      assigned.next = to;
      assigned.movedAt = null;
      assigned.lastDelete = lastDeleteOf(records);
      resolveOffset(String(last));
      assignment.succeed(assigned);
      commits.note(topicPartition, to);
    }
    if (failure !== null) throw failure;
    await heartbeat();
  }
  // Skips offsets after the last record that hold no record, such as the end marker of a transaction.
  if (assigned.position === Number(batch.messages.at(-1)?.offset) + 1)
    assigned.next = Number(batch.lastOffset()) + 1;
}

/** Keeps the group membership while the database works. A failed heartbeat is repeated after the work. */
async function withHeartbeats<T>(
  heartbeat: () => Promise<void>,
  everyMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => heartbeat().catch(() => {}), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
