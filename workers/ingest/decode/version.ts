/**
 * A version is one text of fixed width that compares bytewise: the source's epoch (8 hex digits), the position of
 * the newest commit before the change (16), the position of the change itself (16), and a rank (1).
 */
const DELETED = '0';
const WRITTEN = '1';
const SUPERSEDED = '2';

const EPOCH_DIGITS = 8;
const POSITION_DIGITS = 16;
/** Decimal digits that a number holds for certain. */
const NUMBER_DIGITS = 15;
const MAX_POSITION = 2n ** 64n - 1n;

const SEQUENCE = /^\s*\[\s*(?:"(\d{1,20})"|null)\s*,\s*(?:"(\d{1,20})"|null)\s*\]\s*$/;
const DIGITS = /^\d{1,20}$/;

/** Where a change stands: in the producer's log or, without one, in time and in the topic. */
export interface LogPlace {
  /** `source.sequence`, as it came: JSON text of the newest commit's and the change's positions, or null. */
  readonly sequence: unknown;
  /** `source.lsn`, as it came. */
  readonly lsn: unknown;
  readonly sourceTimeMs: number;
  /** Place in the partition or the file. */
  readonly offset: number;
}

/** The version of a change; null where the message states its place in a form that nothing can be made of. */
export function changeVersion(epoch: number, place: LogPlace, isDelete: boolean): string | null {
  const positions = logPositions(place);
  if (positions === null) return null;
  return epochText(epoch) + positions + (isDelete ? DELETED : WRITTEN);
}

/**
 * The version of a row from a snapshot file: older than any streamed change, newer than an older snapshot's.
 *
 * @param timeMs when the snapshot was taken
 */
export const snapshotVersion = (epoch: number, timeMs: number): string =>
  epochText(epoch) + numberText(0) + numberText(timeMs) + WRITTEN;

/** The version of what came after a change without a place of its own, such as a lone tombstone. */
export const supersededBy = (version: string): string => version.slice(0, -1) + SUPERSEDED;

function logPositions({ sequence, lsn, sourceTimeMs, offset }: LogPlace): string | null {
  let commit: string | undefined;
  let change: string | undefined;
  if (sequence !== null && sequence !== undefined) {
    const parts = typeof sequence === 'string' ? SEQUENCE.exec(sequence) : null;
    if (parts === null) return null;
    [, commit, change] = parts;
  }
  if (change === undefined && lsn !== null && lsn !== undefined) {
    change = String(lsn);
    if (!DIGITS.test(change)) return null;
  }
  if (change === undefined) return numberText(sourceTimeMs) + numberText(offset);
  const changeText = positionText(change);
  const commitText = commit === undefined ? changeText : positionText(commit);
  return commitText === null || changeText === null ? null : commitText + changeText;
}

/** 16 hex digits of an unsigned 64-bit decimal; null beyond that. */
function positionText(digits: string): string | null {
  if (digits.length <= NUMBER_DIGITS) return numberText(Number(digits));
  const position = BigInt(digits);
  return position > MAX_POSITION ? null : position.toString(16).padStart(POSITION_DIGITS, '0');
}

const numberText = (value: number): string => value.toString(16).padStart(POSITION_DIGITS, '0');

let knownEpoch = 0;
let knownEpochText = '0'.repeat(EPOCH_DIGITS);

/** Epochs hardly ever change, so the newest text is kept. */
function epochText(epoch: number): string {
  if (epoch !== knownEpoch) {
    knownEpoch = epoch;
    knownEpochText = epoch.toString(16).padStart(EPOCH_DIGITS, '0');
  }
  return knownEpochText;
}
