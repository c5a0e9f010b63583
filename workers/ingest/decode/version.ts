import { hash } from 'node:crypto';
import type { PartitionId } from '../apply/position.ts';
import type { ConnectorPosition } from './connector-position.ts';

/**
 * A version is one text of fixed width: the source's epoch (8 hex digits), the position of the newest commit before the
 * change (16), the position of the change itself (16), and a rank (1). If it has a log position and was read from a
 * partition, there follow where it was read, which decides about rows of snapshots: topic (4, a digest), partition (3),
 * offset (12), the record's time (11), and a letter: `s` if the log position is its own, else `r`, as of a row of a
 * snapshot and of a lone tombstone.
 * `compare-versions.ts` orders versions.
 */
const DELETED = '0';
const WRITTEN = '1';
const SUPERSEDED = '2';
const WITHOUT_OWN_POSITION = 'r';
const WITH_OWN_POSITION = 's';

const EPOCH_DIGITS = 8;
const POSITION_DIGITS = 16;
const RANK_AT = EPOCH_DIGITS + 2 * POSITION_DIGITS;
/** Decimal digits that a number always holds. */
const NUMBER_DIGITS = 15;
const MAX_POSITION = 2n ** 64n - 1n;

const SEQUENCE = /^\s*\[\s*(?:"(\d{1,20})"|null)\s*,\s*(?:"(\d{1,20})"|null)\s*\]\s*$/;
const OWN_POSITION = /"\s*\]\s*$/;
const DIGITS = /^\d{1,20}$/;

/**
 * A position in the log of PostgreSQL, in that of MySQL or MariaDB, in the topic of a MongoDB collection, or in time and
 * in the topic.
 */
export type PositionForm = 'log' | ConnectorPosition['form'] | 'time';

/** The position of a change in the producer's log or, without one, in time and in the topic. */
export interface ChangePosition {
  /** `source.sequence` as received: JSON text of the positions of the newest commit and of the change, or null. */
  readonly sequence: unknown;
  /** `source.lsn` as received. */
  readonly lsn: unknown;
  /** Of another connector than PostgreSQL's, which has neither. */
  readonly other?: ConnectorPosition | undefined;
  readonly sourceTimeMs: number;
  /** Offset in the partition or the file. */
  readonly offset: number;
  /** Missing if it was not read from a partition. */
  readonly delivery?: Delivery | undefined;
}

/** How a producer delivered a change. */
interface Delivery {
  readonly partition: PartitionId;
  /** The record's own time in milliseconds since 1970. */
  readonly timeMs: number | null;
  /** Whether the log position is that of the change; a row of a snapshot has that of the snapshot. */
  readonly hasOwnPosition: boolean;
}

/** The version of a change; null if its log position is unreadable. */
export function changeVersion(epoch: number, logPosition: ChangePosition, isDelete: boolean): string | null {
  const { other } = logPosition;
  const positions = other === undefined ? logPositions(logPosition) : other.digits;
  if (positions === null) return null;
  const version = epochText(epoch) + positions + (isDelete ? DELETED : WRITTEN);
  const { delivery, offset } = logPosition;
  return delivery === undefined || positionForm(logPosition) === 'time'
    ? version
    : version + deliveryText(delivery, offset);
}

/** What the position of a change is made of. */
export function positionForm({ sequence, lsn, other }: ChangePosition): PositionForm {
  if (other !== undefined) return other.form;
  const hasPosition =
    (lsn !== null && lsn !== undefined) || (typeof sequence === 'string' && OWN_POSITION.test(sequence));
  return hasPosition ? 'log' : 'time';
}

/** The epoch of a streamed change's version, and its newest position, which may be that of the commit before it. */
export function newestPosition(
  version: string,
  form: PositionForm,
): { readonly epoch: string; readonly position: string } {
  const commit = version.slice(EPOCH_DIGITS, EPOCH_DIGITS + POSITION_DIGITS);
  const own = version.slice(EPOCH_DIGITS + POSITION_DIGITS, EPOCH_DIGITS + 2 * POSITION_DIGITS);
  // After a time comes the offset, and after an event of MySQL the row in it.
  const position = form === 'log' && own > commit ? own : commit;
  return { epoch: version.slice(0, EPOCH_DIGITS), position };
}

/**
 * The version of a row from a snapshot file: older than any streamed change, newer than an older snapshot's.
 *
 * @param timeMs when the snapshot was taken
 */
export const snapshotVersion = (epoch: number, timeMs: number): string =>
  epochText(epoch) + numberText(0) + numberText(timeMs) + WRITTEN;

/**
 * The version of a removal without a log position: newer than any row of a snapshot taken by then, older than any
 * streamed change.
 *
 * @param timeMs when the row was known to be gone
 * @param read where its tombstone was read
 */
export const removalVersion = (
  epoch: number,
  timeMs: number,
  read?: { readonly partition: PartitionId; readonly offset: number },
): string => {
  const version = epochText(epoch) + numberText(0) + numberText(timeMs) + SUPERSEDED;
  return read === undefined
    ? version
    : version + deliveryText({ partition: read.partition, timeMs, hasOwnPosition: false }, read.offset);
};

/** The same version in another epoch of its source. */
export const withEpoch = (version: string, epoch: number): string =>
  epochText(epoch) + version.slice(EPOCH_DIGITS);

/** The epoch of a version. */
export const epochIn = (version: string): number => Number.parseInt(version.slice(0, EPOCH_DIGITS), 16);

export const isOfEpoch = (version: string, epoch: number): boolean => version.startsWith(epochText(epoch));

/** Epoch, commit and position of a version: what all records of one change share. */
export const positionOf = (version: string): string => version.slice(0, RANK_AT);

/** Whether a version is of a later epoch than another. */
export const isOfLaterEpoch = (version: string, than: string): boolean =>
  version.slice(0, EPOCH_DIGITS) > than.slice(0, EPOCH_DIGITS);

/** Less than every version of the epoch, and greater than all earlier versions. */
export const startOfEpoch = (epoch: number): string => epochText(epoch);

/** Whether a version is of a removal without its own log position. */
export const isUnpositionedRemoval = (version: string): boolean => version[RANK_AT] === SUPERSEDED;

/**
 * The version of a removal after a change, without its own log position, such as a lone tombstone.
 *
 * @param removal says where the tombstone was read
 */
export const supersededBy = (version: string, removal: string): string =>
  version.slice(0, RANK_AT) +
  SUPERSEDED +
  (removal.length > RANK_AT + 1 ? removal : version).slice(RANK_AT + 1);

/** 32 hex digits; null if the positions are unreadable. */
function logPositions(logPosition: ChangePosition): string | null {
  const { sequence } = logPosition;
  if (typeof sequence === 'string') return plainSequence(sequence) ?? writtenSequence(sequence, logPosition);
  return sequence === null || sequence === undefined ? joined(undefined, undefined, logPosition) : null;
}

/**
 * The version of a removal that comes right after a row, as if its tombstone followed the row's record: what is read
 * after that is newer, even a repetition of the same change. A row that was not read from a partition gets `removal`.
 */
export function removedVersion(version: string, removal: string): string {
  const after = supersededBy(version, removal);
  const placed = hasDelivery(version) ? after.slice(0, -1) + WITHOUT_OWN_POSITION : after;
  return placed > removal ? placed : removal;
}

/** Whether a version says where it was read. */
export const hasDelivery = (version: string): boolean => version.length > RANK_AT + 1;

/** No topic has so many partitions. */
const NO_PARTITION = 0xfff;

/**
 * The version of the end of a snapshot that found a table empty: newer than what its topic held by then. It is of no
 * partition, and its position is before every other, so that only the times decide.
 */
export const endOfEmptySnapshot = (epoch: number, topic: string, timeMs: number): string =>
  epochText(epoch) +
  numberText(1) +
  numberText(1) +
  WRITTEN +
  deliveryText({ partition: { topic, partition: NO_PARTITION }, timeMs, hasOwnPosition: false }, 0);

/** Reads the usual form, two positions within the range of numbers, without a regular expression; else null. */
function plainSequence(sequence: string): string | null {
  const comma = sequence.indexOf('","');
  if (comma === -1 || !sequence.startsWith('["') || !sequence.endsWith('"]')) return null;
  const commit = digitsBetween(sequence, 2, comma);
  const change = digitsBetween(sequence, comma + 3, sequence.length - 2);
  return commit === -1 || change === -1 ? null : commitText(commit) + numberText(change);
}

/** The number of up to 15 digits from one index to before another; -1 if there is none. */
function digitsBetween(text: string, from: number, to: number): number {
  if (to <= from || to - from > NUMBER_DIGITS) return -1;
  let value = 0;
  for (let index = from; index < to; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function writtenSequence(sequence: string, logPosition: ChangePosition): string | null {
  const parts = SEQUENCE.exec(sequence);
  return parts === null ? null : joined(parts[1], parts[2], logPosition);
}

function joined(
  commit: string | undefined,
  change: string | undefined,
  logPosition: ChangePosition,
): string | null {
  const position = change ?? lsnText(logPosition.lsn);
  if (position === null) return numberText(logPosition.sourceTimeMs) + numberText(logPosition.offset);
  const own = positionText(position);
  const newest = commit === undefined ? own : positionText(commit);
  return newest === null || own === null ? null : newest + own;
}

/** The digits of a position; null without one, and no digits for what is none. */
function lsnText(lsn: unknown): string | null {
  if (lsn === null || lsn === undefined) return null;
  return typeof lsn === 'object' ? '' : String(lsn);
}

/** 16 hex digits of an unsigned 64-bit decimal; null for anything else. */
function positionText(digits: string): string | null {
  if (!DIGITS.test(digits)) return null;
  if (digits.length <= NUMBER_DIGITS) return numberText(Number(digits));
  const position = BigInt(digits);
  return position > MAX_POSITION ? null : position.toString(16).padStart(POSITION_DIGITS, '0');
}

const deliveryText = ({ partition, timeMs, hasOwnPosition }: Delivery, offset: number): string =>
  partitionText(partition) +
  numberText(offset).slice(4) +
  numberText(timeMs ?? 0).slice(5) +
  (hasOwnPosition ? WITH_OWN_POSITION : WITHOUT_OWN_POSITION);

const THREE_DIGITS = Array.from({ length: 0x1000 }, (_, value) => value.toString(16).padStart(3, '0'));

/** 16 hex digits of a whole number below 2^53, three at a time: `toString(16)` is slow beyond 31 bits. */
function numberText(value: number): string {
  const low = value % 0x1000000;
  const high = Math.floor(value / 0x1000000);
  const top = threeDigits(high / 0x1000000);
  return `0${top}${threeDigits(high >> 12)}${threeDigits(high)}${threeDigits(low >> 12)}${threeDigits(low)}`;
}

const threeDigits = (value: number): string => THREE_DIGITS[value & 0xfff] as string;

/** Many changes belong to one commit or partition, and epochs rarely change: the newest text of each is cached. */
let knownPartition: PartitionId | null = null;
let knownPartitionText = '';
let knownCommit = 0;
let knownCommitText = numberText(0);
let knownEpoch = 0;
let knownEpochText = '0'.repeat(EPOCH_DIGITS);

function partitionText(partition: PartitionId): string {
  if (partition !== knownPartition) {
    knownPartition = partition;
    knownPartitionText = hash('sha256', partition.topic).slice(0, 4) + threeDigits(partition.partition);
  }
  return knownPartitionText;
}

function commitText(commit: number): string {
  if (commit !== knownCommit) {
    knownCommit = commit;
    knownCommitText = numberText(commit);
  }
  return knownCommitText;
}

function epochText(epoch: number): string {
  if (epoch !== knownEpoch) {
    knownEpoch = epoch;
    knownEpochText = epoch.toString(16).padStart(EPOCH_DIGITS, '0');
  }
  return knownEpochText;
}
