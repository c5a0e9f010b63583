import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { AppliedChanges } from '../apply/apply-changes.ts';
import type { Decoded, DecodedRecord } from '../decode/envelope.ts';
import type { ClaimedDeadLetter } from './claim-dead-letters.ts';
import { type DeadLetterViolation, UNAVAILABLE } from './dead-letter.ts';

/** A dead letter as this release decodes it. */
export interface DecodedDeadLetter extends DecodedRecord {
  readonly claimed: ClaimedDeadLetter;
}

export type ReplayState = 'replayed' | 'superseded' | 'open';

/** What a replay makes of a dead letter. */
export interface ReplayOutcome {
  readonly id: number;
  readonly state: ReplayState;
  /** Whether it is superseded because its source has entered another epoch. */
  readonly isOfPastEpoch: boolean;
  /** Null if they could not be read. */
  readonly source: Source | null;
  readonly key: string | null;
  readonly version: string | null;
  /** Of a dead letter that stays open. */
  readonly violations: readonly DeadLetterViolation[];
}

type EpochOf = (source: Source) => number;

export function outcomesOf(
  deadLetters: readonly DecodedDeadLetter[],
  applied: AppliedChanges,
  epochOf: EpochOf,
): ReplayOutcome[] {
  const missing = new Map<Decoded, readonly string[]>(
    applied.incomplete.map((one) => [one.change, one.missing]),
  );
  return deadLetters.map(({ claimed, decoded }): ReplayOutcome => {
    const violations = violationsOf(decoded, missing);
    const isPast = isOfPastEpoch(claimed, epochOf);
    const isOpen = !isPast && violations.length > 0;
    const hasEffect =
      decoded.kind === 'heartbeat' ||
      decoded.kind === 'ignored' ||
      applied.outcomes.get(decoded) === 'applied';
    return {
      id: claimed.id,
      state: isOpen ? 'open' : hasEffect && !isPast ? 'replayed' : 'superseded',
      isOfPastEpoch: isPast,
      source: 'source' in decoded ? decoded.source : null,
      key: 'key' in decoded ? decoded.key : null,
      // A tombstone's version says when it came, not which change it follows.
      version: 'version' in decoded && decoded.kind !== 'tombstone' ? decoded.version : null,
      violations,
    };
  });
}

/** Whether a dead letter is from an earlier epoch of its source, so that its log position means nothing now. */
export function isOfPastEpoch({ table, epoch }: ClaimedDeadLetter, epochOf: EpochOf): boolean {
  const source = sourceByTable.get(table ?? '');
  return source !== undefined && epoch < epochOf(source);
}

function violationsOf(
  decoded: Decoded,
  missing: ReadonlyMap<Decoded, readonly string[]>,
): readonly DeadLetterViolation[] {
  if (decoded.kind === 'rejected') return decoded.violations;
  return (missing.get(decoded) ?? []).map((field) => ({ field, reason: UNAVAILABLE }));
}
