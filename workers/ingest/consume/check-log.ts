import type { Admin } from 'kafkajs';
import type { PartitionId } from '../apply/position.ts';

/** The clocks of producers and of the database may differ by so many milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Kafka's log does not continue at the stored position: records were deleted before they were applied, or the log is
 * another one of the same name. Reading on would silently skip records, so an operator must decide.
 */
export class LogGap extends Error {
  override readonly name = 'LogGap';
  /** The start of the log, where an operator may let reading continue. */
  readonly start: number;

  constructor(message: string, start: number) {
    super(message);
    this.start = start;
  }
}

interface OffsetRange {
  readonly start: number;
  /** The offset of the next record to be written. */
  readonly end: number;
}

async function rangeOf(admin: Admin, { topic, partition }: PartitionId): Promise<OffsetRange> {
  const found = (await admin.fetchTopicOffsets(topic)).find((one) => one.partition === partition);
  if (found === undefined) throw new LogGap(`${topic} no longer has partition ${partition}`, 0);
  return { start: Number(found.low), end: Number(found.high) };
}

/**
 * Checks that the broker's log continues at `position`.
 *
 * @param fetchedFrom where a fetch began that should have begun at `position`
 * @throws LogGap if the log starts later, or was shorter
 */
export async function checkRange(
  admin: Admin,
  partition: PartitionId,
  { position, fetchedFrom }: { readonly position: number; readonly fetchedFrom: number },
): Promise<void> {
  const { start, end } = await rangeOf(admin, partition);
  if (start > position)
    throw new LogGap(`offsets ${position} to ${start - 1} are gone, the log starts at ${start}`, start);
  if (end < position) throw new LogGap(`the log ends at ${end}, before position ${position}`, start);
  // A fetch that begins later, within the range, has only skipped records of an aborted transaction.
  if (fetchedFrom < position)
    throw new LogGap(`the log ended before position ${position} and was rewritten`, start);
}

/**
 * Detects a topic that was deleted and recreated, and has grown beyond the position since: records before the position
 * were written after the position had been reached.
 *
 * @param movedAt when the position was reached
 * @throws LogGap if the log is another one
 */
export async function checkIdentity(
  admin: Admin,
  partition: PartitionId,
  { position, movedAt }: { readonly position: number; readonly movedAt: Date },
): Promise<void> {
  const after = movedAt.getTime() + CLOCK_SKEW_MS;
  if (position === 0 || after > Date.now()) return;
  const written = await firstWrittenAfter(admin, partition, after);
  if (written >= position) return;
  // Records with a timestamp in the future do not show when they were written.
  if ((await firstWrittenAfter(admin, partition, Date.now() + CLOCK_SKEW_MS)) === written) return;
  const { start } = await rangeOf(admin, partition);
  throw new LogGap(
    `offset ${written} was written after position ${position} had been reached: the topic was recreated`,
    start,
  );
}

/** The first offset with a timestamp of `timeMs` or later; the end of the log if there is none. */
async function firstWrittenAfter(
  admin: Admin,
  { topic, partition }: PartitionId,
  timeMs: number,
): Promise<number> {
  const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, timeMs);
  return Number(offsets.find((one) => one.partition === partition)?.offset ?? Number.POSITIVE_INFINITY);
}
