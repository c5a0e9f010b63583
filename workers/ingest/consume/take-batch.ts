import type { Admin, Batch, EachBatchPayload } from 'kafkajs';
import type { Pool } from 'pg';
import type { Heart, Watchdog } from '../../../projections/observe/watchdog.ts';
import type { Registry } from '../../../projections/registry.ts';
import { countBatch, countRetry, showLag } from '../../watch/metrics.ts';
import { TURN_LIMIT_MS } from '../../watch/watchdog.ts';
import type { DecodeContext } from '../decode/envelope.ts';
import { ingestBatch } from '../ingest-batch.ts';
import { checkIdentity, checkRange } from './check-log.ts';
import type { OffsetCommits } from './commit-offsets.ts';
import { decodeMessages } from './decode-messages.ts';
import type { Holdings } from './holdings.ts';
import { lastDeleteOf, passKnownTombstone } from './known-tombstone.ts';
import type { Held } from './partition-state.ts';

export interface BatchWork {
  readonly admin: Admin;
  readonly pool: Pool;
  readonly registry: Registry;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  readonly holdings: Holdings;
  readonly commits: OffsetCommits;
  readonly heartbeatMs: number;
  readonly watchdog: Watchdog;
  isStopping(): boolean;
}

/** Records applied in one transaction: enough to spread its cost, few enough to hold locks for a fraction of a second. */
const MAX_BATCH = 5_000;

/**
 * Applies a fetched batch. It does not wait for anything that is away: what cannot be applied now is let go of, and
 * fetched again from its position when the partition's turn comes, so waiting takes no memory and no one's turn.
 *
 * @throws errors of kafkajs alone, which tells kafkajs of a rebalance or a lost connection
 */
export async function takeBatch(work: BatchWork, payload: EachBatchPayload): Promise<void> {
  const { batch } = payload;
  const held = work.holdings.take(batch.topic, batch.partition);
  if (held === null) return;
  const heart = work.watchdog.watch('batch', TURN_LIMIT_MS.batch);
  try {
    if (!mayGoOn(work, held, payload)) return;
    await checkContinuity(work.admin, held, batch);
    await applyBatch(work, held, payload, heart);
  } catch (error) {
    if (isOfKafka(error)) throw error;
    countRetry('ingest');
    work.holdings.fail(held, error);
  } finally {
    heart.stop();
    work.holdings.release(held);
  }
}

const mayGoOn = ({ holdings, isStopping }: BatchWork, held: Held, { isRunning, isStale }: EachBatchPayload) =>
  holdings.holds(held) && isRunning() && !isStale() && !isStopping();

/** Its class is not among the names that an ES module can import. */
const isOfKafka = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS');

/** Where the fetch began, which kafkajs knows and its types leave out: not where its first record stands. */
const fetchedFrom = (batch: Batch & { readonly fetchedOffset?: string }): number =>
  Number(batch.fetchedOffset ?? batch.firstOffset());

/**
 * A fetch begins where the one before ended, unless the broker had nothing there: kafkajs then starts over with what
 * there is, without a word to us.
 */
async function checkContinuity(admin: Admin, held: Held, batch: Batch): Promise<void> {
  const { place, position, movedAt, next } = held;
  if (position === null || position === undefined) return;
  const from = fetchedFrom(batch);
  if (from !== next) await checkRange(admin, place, position, from);
  if (movedAt !== null) await checkIdentity(admin, place, position, movedAt);
}

async function applyBatch(
  work: BatchWork,
  held: Held,
  payload: EachBatchPayload,
  heart: Heart,
): Promise<void> {
  const readAtMs = Date.now();
  const { pool, registry, prefix, holdings, commits } = work;
  const { batch, resolveOffset, heartbeat } = payload;
  const context: DecodeContext = { prefix, epoch: registry.epochOf };
  const messages = batch.messages.filter(({ offset }) => Number(offset) >= (held.position ?? 0));
  for (let start = 0; start < messages.length && mayGoOn(work, held, payload); start += MAX_BATCH) {
    const { records: all, failure } = decodeMessages(
      batch,
      messages.slice(start, start + MAX_BATCH),
      context,
    );
    const records = passKnownTombstone(all, held.lastDelete);
    const last = records.at(-1)?.record.offset;
    if (last !== undefined) {
      const from = held.position ?? null;
      const startedAt = performance.now();
      const done = await whileBeating(heartbeat, work.heartbeatMs, () =>
        ingestBatch(pool, registry, held.place, records, from, last + 1, readAtMs),
      );
      heart.beat();
      countBatch(done, (performance.now() - startedAt) / 1_000);
      showLag(batch.topic, batch.partition, Number(batch.highWatermark), last + 1);
      held.position = last + 1;
      held.next = last + 1;
      held.movedAt = null;
      held.lastDelete = lastDeleteOf(records);
      resolveOffset(String(last));
      holdings.succeed(held);
      commits.note(held.place, last + 1);
    }
    if (failure !== null) throw failure;
    await heartbeat();
  }
  // What follows the last record, such as the mark of a transaction's end, is passed with it.
  if (held.position === Number(batch.messages.at(-1)?.offset) + 1) held.next = Number(batch.lastOffset()) + 1;
}

/** Keeps the membership alive while the database takes its time. A beat that fails is made again after the work. */
async function whileBeating<T>(
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
