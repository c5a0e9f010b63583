import type { Admin } from 'kafkajs';
import type { Place } from '../apply/position.ts';

/** Clocks of producers and of the database may differ by less than this, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/**
 * The log does not go on where the mirror stands: records are gone that were never applied, or it is another log under
 * the same name. Reading on would skip what nobody knows of, so that takes an operator's word.
 */
export class LogGap extends Error {
  override readonly name = 'LogGap';
  /** Where the log starts now, which is where an operator may let reading go on. */
  readonly start: number;

  constructor(message: string, start: number) {
    super(message);
    this.start = start;
  }
}

interface Range {
  readonly start: number;
  /** Of the next record to be written. */
  readonly end: number;
}

async function rangeOf(admin: Admin, { topic, partition }: Place): Promise<Range> {
  const found = (await admin.fetchTopicOffsets(topic)).find((one) => one.partition === partition);
  if (found === undefined) throw new LogGap(`${topic} has no partition ${partition} any more`, 0);
  return { start: Number(found.low), end: Number(found.high) };
}

/**
 * Asks the broker whether its log goes on at `position`.
 *
 * @param fetchedFrom where a fetch began that should have begun at `position`
 * @throws LogGap where the log starts later, or was shorter than that
 */
export async function checkRange(
  admin: Admin,
  place: Place,
  position: number,
  fetchedFrom: number,
): Promise<void> {
  const { start, end } = await rangeOf(admin, place);
  if (start > position)
    throw new LogGap(`offsets ${position} to ${start - 1} are gone, the log starts at ${start}`, start);
  if (end < position) throw new LogGap(`the log ends at ${end}, before position ${position}`, start);
  // In range and later: only what a transaction aborted lies between.
  if (fetchedFrom < position)
    throw new LogGap(`the log ended before position ${position} and was written anew`, start);
}

/**
 * Tells a topic that was deleted and made anew, and has grown beyond the position since: its records before the position
 * were written after the position had been reached.
 *
 * @param movedAt when the position was reached
 * @throws LogGap where the log is another one
 */
export async function checkIdentity(
  admin: Admin,
  place: Place,
  position: number,
  movedAt: Date,
): Promise<void> {
  const after = movedAt.getTime() + CLOCK_SKEW_MS;
  if (position === 0 || after > Date.now()) return;
  const written = await firstWrittenAfter(admin, place, after);
  if (written >= position) return;
  // Records that claim to be of the future say nothing of when they were written.
  if ((await firstWrittenAfter(admin, place, Date.now() + CLOCK_SKEW_MS)) === written) return;
  const { start } = await rangeOf(admin, place);
  throw new LogGap(
    `offset ${written} was written after position ${position} had been reached: the topic was made anew`,
    start,
  );
}

/** The first offset whose record is of `timeMs` or later; the end of the log where there is none. */
async function firstWrittenAfter(admin: Admin, { topic, partition }: Place, timeMs: number): Promise<number> {
  const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, timeMs);
  return Number(offsets.find((one) => one.partition === partition)?.offset ?? Number.POSITIVE_INFINITY);
}
