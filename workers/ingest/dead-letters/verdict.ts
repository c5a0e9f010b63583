import type { Source } from '../../../projections/sources/contract.ts';
import { sourceByTable } from '../../../projections/sources/index.ts';
import type { Decoded, DecodedRecord } from '../decode/envelope.ts';
import { type LetterViolation, UNAVAILABLE } from './letter-class.ts';
import type { StoredLetter } from './stored-letter.ts';

/** A letter as this code reads it. */
export interface ReadLetter extends DecodedRecord {
  readonly letter: StoredLetter;
}

/** What applying the changes of letters came to. */
export interface Applied {
  /** The changes that made a key's state newer at their turn, and the truncates that were newer than any before. */
  readonly taken: ReadonlySet<Decoded>;
  /** For each change that could not be made whole, the columns that it left out and that are stored nowhere. */
  readonly missing: ReadonlyMap<Decoded, readonly string[]>;
}

export type Outcome = 'replayed' | 'superseded' | 'open';

/** What becomes of a letter that is sent again. */
export interface Verdict {
  readonly id: number;
  readonly outcome: Outcome;
  /** Whether it is superseded because its source's log positions started anew since. */
  readonly isPast: boolean;
  /** What could be read of it; null where it could not. */
  readonly source: Source | null;
  readonly key: string | null;
  readonly version: string | null;
  /** Of a letter that stays open. */
  readonly violations: readonly LetterViolation[];
}

export function verdictOf({ letter, decoded }: ReadLetter, applied: Applied, epochOf: EpochOf): Verdict {
  const violations = violationsOf(decoded, applied);
  const isPast = isOfPastEpoch(letter, epochOf);
  const outcome = isPast
    ? 'superseded'
    : violations.length > 0
      ? 'open'
      : isHeard(decoded, applied)
        ? 'replayed'
        : 'superseded';
  return {
    id: letter.id,
    outcome,
    isPast,
    source: 'source' in decoded ? decoded.source : null,
    key: 'key' in decoded ? decoded.key : null,
    // A tombstone's version says when it came, not what it follows.
    version: 'version' in decoded && decoded.kind !== 'tombstone' ? decoded.version : null,
    violations,
  };
}

type EpochOf = (source: Source) => number;

/** Whether a letter is from before its source's log positions started anew, so that its own say nothing any more. */
export function isOfPastEpoch({ table, epoch }: StoredLetter, epochOf: EpochOf): boolean {
  const source = sourceByTable.get(table ?? '');
  return source !== undefined && epoch < epochOf(source);
}

function violationsOf(decoded: Decoded, { missing }: Applied): readonly LetterViolation[] {
  if (decoded.kind === 'refused') return decoded.violations;
  return (missing.get(decoded) ?? []).map((field) => ({ field, reason: UNAVAILABLE }));
}

/** Whether a record that is understood also counts; one that is no change has nothing to lose to. */
const isHeard = (decoded: Decoded, { taken }: Applied): boolean =>
  decoded.kind === 'heartbeat' || decoded.kind === 'ignored' || taken.has(decoded);
