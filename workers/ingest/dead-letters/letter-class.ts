import type { Source } from '../../../projections/sources/contract.ts';

/**
 * What is wrong with a record, from its address inwards: its table is no source, it is no envelope (or no JSON, or
 * says no key), its row breaks the contract, or the row leaves out values that are stored nowhere.
 */
export const LETTER_CLASSES = ['unknown-source', 'undecodable', 'contract', 'incomplete'] as const;
export type LetterClass = (typeof LETTER_CLASSES)[number];

export const LETTER_STATES = ['open', 'replayed', 'superseded', 'discarded'] as const;
export type LetterState = (typeof LETTER_STATES)[number];

/** A field at fault; beside the decoder's reasons, `unavailable` for a value that was left out and is not stored. */
export interface LetterViolation {
  readonly field: string;
  readonly reason: string;
}

export const UNAVAILABLE = 'unavailable';

/** Reasons that only the envelope around a row can give. */
const ENVELOPE_REASONS: ReadonlySet<string> = new Set(['not_a_row', 'not_an_envelope', 'unknown_op']);
const isMissing = ({ reason }: LetterViolation): boolean => reason === 'missing';

/** The class of a letter that breaks the given fields. @param source null where the topic names none */
export function classOf(source: Source | null, violations: readonly LetterViolation[]): LetterClass {
  if (source === null) return 'unknown-source';
  if (violations.some(({ reason }) => reason === UNAVAILABLE)) return 'incomplete';
  const isOutsideRow = (violation: LetterViolation): boolean =>
    ENVELOPE_REASONS.has(violation.reason) ||
    (isMissing(violation) && !Object.hasOwn(source.columns, violation.field));
  return violations.some(isOutsideRow) ? 'undecodable' : 'contract';
}
