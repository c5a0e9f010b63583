/**
 * A version is one text of fixed width that compares bytewise: the source's epoch (8 hex digits), the position of
 * the newest commit before the change (16), the position of the change itself (16), and a rank (1).
 */
const DELETED = '0';
const WRITTEN = '1';
const SUPERSEDED = '2';

const EPOCH_DIGITS = 8;
const POSITION_DIGITS = 16;
/** Decimal digits that a number always holds. */
const NUMBER_DIGITS = 15;
const MAX_POSITION = 2n ** 64n - 1n;

const SEQUENCE = /^\s*\[\s*(?:"(\d{1,20})"|null)\s*,\s*(?:"(\d{1,20})"|null)\s*\]\s*$/;
const OWN_POSITION = /"\s*\]\s*$/;
const DIGITS = /^\d{1,20}$/;

/** A position in the producer's log, or in time and in the topic. */
export type PositionForm = 'log' | 'time';

/** The position of a change in the producer's log or, without one, in time and in the topic. */
export interface ChangePosition {
  /** `source.sequence` as received: JSON text of the positions of the newest commit and of the change, or null. */
  readonly sequence: unknown;
  /** `source.lsn` as received. */
  readonly lsn: unknown;
  readonly sourceTimeMs: number;
  /** Offset in the partition or the file. */
  readonly offset: number;
}

/** The version of a change; null if its log position is unreadable. */
export function changeVersion(epoch: number, logPosition: ChangePosition, isDelete: boolean): string | null {
  const { sequence } = logPosition;
  const positions =
    typeof sequence === 'string'
      ? (plainSequence(sequence) ?? writtenSequence(sequence, logPosition))
      : sequence === null || sequence === undefined
        ? joined(undefined, undefined, logPosition)
        : null;
  return positions === null ? null : epochText(epoch) + positions + (isDelete ? DELETED : WRITTEN);
}

/** Whether a change with these fields has a position in its producer's log, or only in time. */
export const positionForm = ({ sequence, lsn }: Pick<ChangePosition, 'sequence' | 'lsn'>): PositionForm =>
  (lsn !== null && lsn !== undefined) || (typeof sequence === 'string' && OWN_POSITION.test(sequence))
    ? 'log'
    : 'time';

/** The epoch of a streamed change's version, and its newest position, which may be that of the commit before it. */
export function newestPosition(
  version: string,
  form: PositionForm,
): { readonly epoch: string; readonly position: string } {
  const commit = version.slice(EPOCH_DIGITS, EPOCH_DIGITS + POSITION_DIGITS);
  const own = version.slice(EPOCH_DIGITS + POSITION_DIGITS, EPOCH_DIGITS + 2 * POSITION_DIGITS);
  // After a time comes the offset.
  const position = form === 'time' || commit > own ? commit : own;
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
 */
export const removalVersion = (epoch: number, timeMs: number): string =>
  epochText(epoch) + numberText(0) + numberText(timeMs) + SUPERSEDED;

/** The same version in another epoch of its source. */
export const withEpoch = (version: string, epoch: number): string =>
  epochText(epoch) + version.slice(EPOCH_DIGITS);

export const isOfEpoch = (version: string, epoch: number): boolean => version.startsWith(epochText(epoch));

/** Whether a version is of a later epoch than another. */
export const isOfLaterEpoch = (version: string, than: string): boolean =>
  version.slice(0, EPOCH_DIGITS) > than.slice(0, EPOCH_DIGITS);

/** Less than every version of the epoch, and greater than all earlier versions. */
export const startOfEpoch = (epoch: number): string => epochText(epoch);

/** Whether a version is of a removal without its own log position. */
export const isUnpositionedRemoval = (version: string): boolean => version.endsWith(SUPERSEDED);

/** The version of a removal after a change, without its own log position, such as a lone tombstone. */
export const supersededBy = (version: string): string => version.slice(0, -1) + SUPERSEDED;

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
  const position =
    change ?? (logPosition.lsn === null || logPosition.lsn === undefined ? null : String(logPosition.lsn));
  if (position === null) return numberText(logPosition.sourceTimeMs) + numberText(logPosition.offset);
  const own = positionText(position);
  const newest = commit === undefined ? own : positionText(commit);
  return newest === null || own === null ? null : newest + own;
}

/** 16 hex digits of an unsigned 64-bit decimal; null for anything else. */
function positionText(digits: string): string | null {
  if (!DIGITS.test(digits)) return null;
  if (digits.length <= NUMBER_DIGITS) return numberText(Number(digits));
  const position = BigInt(digits);
  return position > MAX_POSITION ? null : position.toString(16).padStart(POSITION_DIGITS, '0');
}

const THREE_DIGITS = Array.from({ length: 0x1000 }, (_, value) => value.toString(16).padStart(3, '0'));

/** 16 hex digits of a whole number below 2^53, three at a time: `toString(16)` is slow beyond 31 bits. */
function numberText(value: number): string {
  const low = value % 0x1000000;
  const high = Math.floor(value / 0x1000000);
  const top = threeDigits(high / 0x1000000);
  return `0${top}${threeDigits(high >> 12)}${threeDigits(high)}${threeDigits(low >> 12)}${threeDigits(low)}`;
}

const threeDigits = (value: number): string => THREE_DIGITS[value & 0xfff] as string;

/** Many changes belong to one commit, and epochs rarely change: the newest text of each is cached. */
let knownCommit = 0;
let knownCommitText = numberText(0);
let knownEpoch = 0;
let knownEpochText = '0'.repeat(EPOCH_DIGITS);

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
