import type { Source } from '../../../projections/contracts/contract.ts';

/**
 * What is wrong with a record, from the outside in: its table is no source; it is no envelope (no JSON, or no key);
 * its log position or time cannot be right; its row breaks the contract; or the row leaves out values that no stored row
 * has.
 */
export const DEAD_LETTER_CLASSES = [
  'unknown-source',
  'undecodable',
  'implausible',
  'contract',
  'incomplete',
] as const;
export type DeadLetterClass = (typeof DEAD_LETTER_CLASSES)[number];

export const DEAD_LETTER_STATES = ['open', 'replayed', 'superseded', 'discarded'] as const;
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];

/** An invalid field. The reason is one of the decoder's, or `unavailable` for a value that was left out and is not stored. */
export interface DeadLetterViolation {
  readonly field: string;
  readonly reason: string;
}

/** The actor of what the stream itself settles. */
export const INGEST = 'ingest';

export const UNAVAILABLE = 'unavailable';

/** Reasons that only the envelope around a row can give. */
const ENVELOPE_REASONS: ReadonlySet<string> = new Set([
  'binary_as_text',
  'data_not_json',
  'no_document',
  'no_schema_registry',
  'not_a_row',
  'not_an_envelope',
  'not_of_schema',
  'not_the_id',
  'unknown_op',
  'unknown_schema',
  'unsupported_connector',
  'unusable_schema',
]);
/** Reasons that only a comparison with the source's newest position and with the clock can give. */
const IMPLAUSIBLE_REASONS: ReadonlySet<string> = new Set([
  'future_time',
  'implausible_position',
  'other_position_form',
]);
const isMissing = ({ reason }: DeadLetterViolation): boolean => reason === 'missing';

/** The class of a dead letter with these violations. @param source null if the topic names none */
export function classOf(source: Source | null, violations: readonly DeadLetterViolation[]): DeadLetterClass {
  if (source === null) return 'unknown-source';
  if (violations.some(({ reason }) => reason === UNAVAILABLE)) return 'incomplete';
  if (violations.some(({ reason }) => IMPLAUSIBLE_REASONS.has(reason))) return 'implausible';
  const isOutsideRow = (violation: DeadLetterViolation): boolean =>
    ENVELOPE_REASONS.has(violation.reason) ||
    (isMissing(violation) && !Object.hasOwn(source.columns, violation.field));
  return violations.some(isOutsideRow) ? 'undecodable' : 'contract';
}
