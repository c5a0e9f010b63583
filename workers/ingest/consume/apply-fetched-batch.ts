import type { Admin, Batch, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { LoopLiveness, Watchdog } from '../../../infra/runtime/watchdog.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import { noteUnread } from '../apply/position.ts';
import type { DecodeContext } from '../decode/envelope.ts';
import { countBatch, countIngestRetry, setLag } from '../metrics.ts';
import type { RecordLimits } from '../record-limits.ts';
import { NO_SCHEMAS } from '../schemas/message-schema.ts';
import { resolveSchemas, type SchemaRegistry } from '../schemas/schema-registry.ts';
import type { PartitionAssignment } from './assigned-partitions.ts';
import { checkIdentity, checkRange } from './check-log.ts';
import type { OffsetCommits } from './commit-offsets.ts';
import { decodeMessages, ignoreKnownTombstone, lastDeleteOf } from './decode-messages.ts';
import { type FailureKind, failureKindOf } from './failure-kind.ts';
import type { AssignedPartition } from './partition-state.ts';
import { reportColumns } from './report-columns.ts';
import { prefixOf } from './topic-prefixes.ts';

/** A batch may hold a truncate of a large table. */
const BATCH_LIMIT_MS = 900_000;

export interface BatchWork {
  readonly admin: Admin;
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Logger;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefixes: readonly string[];
  readonly limits?: RecordLimits;
  readonly schemas?: SchemaRegistry | null;
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
    if (!OF_DATABASE.has(failureKindOf(error))) await noteUnreadBatch(work, assigned, batch);
  } finally {
    liveness.stop();
    work.assignment.endBatch(assigned);
  }
}

function mayContinue({ assignment, isStopping }: BatchWork, { assigned, payload }: FetchedBatch): boolean {
  return assignment.isAssigned(assigned) && payload.isRunning() && !payload.isStale() && !isStopping();
}

/** Another consumer moved the position, or the database cannot be written. */
const OF_DATABASE: ReadonlySet<FailureKind> = new Set(['position', 'database']);

/** The partition may stop here for long, and its lag must not look like that of a quiet one. */
async function noteUnreadBatch(
  { pool }: BatchWork,
  { topicPartition, position }: AssignedPartition,
  { messages }: Batch,
): Promise<void> {
  const first = messages.find(({ offset }) => Number(offset) >= (position ?? 0));
  if (first === undefined) return;
  const unread = { offset: Number(first.offset), sinceMs: writtenMs(first) };
  // The next failure notes it again.
  await noteUnread(pool, topicPartition, unread).catch(() => {});
}

/** When a message was written to the log; now if it does not say. */
const writtenMs = ({ timestamp }: KafkaMessage): number =>
  Number(timestamp) > 0 ? Number(timestamp) : Date.now();

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
  const { pool, registry, prefixes, limits, schemas = null, heartbeatIntervalMs, assignment, commits } = work;
  const { batch, resolveOffset, heartbeat } = payload;
  const { topicPartition } = assigned;
  const context: DecodeContext = {
    prefix: prefixOf(batch.topic, prefixes) ?? '',
    epoch: registry.epochOf,
    schemas: schemas ?? NO_SCHEMAS,
  };
  const messages = batch.messages.filter(({ offset }) => Number(offset) >= (assigned.position ?? 0));
  // Counted before they are applied too: this may fail.
  if (messages[0] !== undefined)
    setLag(batch.topic, batch.partition, Number(batch.highWatermark) - Number(messages[0].offset));
  for (let start = 0; start < messages.length && mayContinue(work, fetched); start += MAX_BATCH) {
    const slice = messages.slice(start, start + MAX_BATCH);
    // A slow registry must not cost the group membership.
    if (schemas !== null)
      await withHeartbeats(heartbeat, work.heartbeatMs, () => resolveSchemas(schemas, slice));
    const { records: all, failure } = decodeMessages(batch, slice, context);
    const records = ignoreKnownTombstone(all, assigned.lastDelete);
    const last = records.at(-1)?.record.offset;
    if (last !== undefined) {
      const from = assigned.position ?? null;
      const to = last + 1;
      const { next, unread } = afterRecord(batch, messages, start + records.length);
      const unreadSinceMs = unread === null ? null : writtenMs(unread);
      const startedAt = performance.now();
      const result = await withHeartbeats(heartbeat, work.heartbeatMs, () =>
        ingestBatch(pool, registry, {
          topicPartition,
          records,
          from,
          to,
          unreadSinceMs,
          readAtMs,
          limits,
          schemas,
          heartbeatIntervalMs,
        }),
      );
      liveness.heartbeat();
      countBatch(result, (performance.now() - startedAt) / 1_000);
      if (result.columns !== undefined) reportColumns(work.log, result.columns);
      setLag(batch.topic, batch.partition, Number(batch.highWatermark) - next);
      assigned.position = to;
      assigned.next = next;
      assigned.movedAt = null;
      assigned.lastDelete = lastDeleteOf(records);
      resolveOffset(String(last));
      assignment.succeed(assigned);
      commits.note(topicPartition, to);
    }
    if (failure !== null) throw failure;
    await heartbeat();
  }
}

/**
 * Where to read on after so many messages of a batch, and the first message known to be unread, or one written before it;
 * null if none is.
 */
function afterRecord(
  batch: Batch,
  messages: readonly KafkaMessage[],
  count: number,
): { readonly next: number; readonly unread: KafkaMessage | null } {
  const last = messages[count - 1] as KafkaMessage;
  const following = messages[count];
  if (following !== undefined) return { next: Number(last.offset) + 1, unread: following };
  // Skips offsets after the last record that hold no record, such as the end marker of a transaction.
  const next = Number(batch.lastOffset()) + 1;
  return { next, unread: next < Number(batch.highWatermark) ? last : null };
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
