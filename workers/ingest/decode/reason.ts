import type { TimeUnit } from '../../../projections/contracts/columns.ts';

/** Why a value was rejected, as dead letters state it. */
export const REASONS = [
  'bad_item',
  'binary_as_text',
  'data_not_json',
  'extras_too_large',
  'future_time',
  'implausible_days',
  'implausible_ms',
  'implausible_ns',
  'implausible_position',
  'implausible_us',
  'infinite',
  'missing',
  'no_document',
  'no_schema_registry',
  'not_a_row',
  'not_an_envelope',
  'not_array',
  'not_bool',
  'not_date',
  'not_hex32',
  'not_in_list',
  'not_int',
  'not_json',
  'not_num',
  'not_of_schema',
  'not_partial_date',
  'not_text',
  'not_the_id',
  'not_ts',
  'not_uuid',
  'null_not_allowed',
  'other_position_form',
  'too_long',
  'too_many_items',
  'unit_not_stated',
  'unknown_op',
  'unknown_schema',
  'unknown_table',
  'unsupported_connector',
  'unusable_schema',
] as const;
export type Reason = (typeof REASONS)[number];

export interface Violation {
  readonly field: string;
  readonly reason: Reason;
}

/** A value decoder's result for an invalid value. An object, so that one `typeof` distinguishes it from JSON text. */
export interface Rejection {
  readonly reason: Reason;
}

/** Converts a value, neither null nor absent, to its canonical JSON text. */
export type ValueDecoder = (value: unknown) => string | Rejection;

export const rejection = (reason: Reason): Rejection => ({ reason });

export const MISSING = rejection('missing');
export const NULL_NOT_ALLOWED = rejection('null_not_allowed');

/** A count of time outside the calendar, or outside the plausible range of its column, by the unit it was read in. */
export const IMPLAUSIBLE: Readonly<Record<TimeUnit, Rejection>> = {
  days: rejection('implausible_days'),
  ms: rejection('implausible_ms'),
  us: rejection('implausible_us'),
  ns: rejection('implausible_ns'),
};

export const INFINITE = rejection('infinite');

const INFINITE_TEXT = /^[+-]?infinity$/i;

/** The reason for a text that is not a time or a number. */
export const infiniteOr = (text: string, otherwise: Rejection): Rejection =>
  INFINITE_TEXT.test(text) ? INFINITE : otherwise;

/** Debezium writes this for a large value that an update did not change and that the log does not contain. */
export const PLACEHOLDER = '__debezium_unavailable_value';

const PLACEHOLDER_BASE64 = Buffer.from(PLACEHOLDER).toString('base64');
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);

/** A value to take from the stored row. Without one (in a key, in an unknown row) the value is missing. */
export const UNAVAILABLE: Rejection = rejection('missing');

/** Whether a scalar is the placeholder of an unchanged value: as text, as bytes or as JSON text. */
export const isPlaceholder = (value: unknown): boolean =>
  value === PLACEHOLDER || value === PLACEHOLDER_BASE64 || value === PLACEHOLDER_JSON;

/** Debezium's placeholder as a UUID. */
const PLACEHOLDER_UUID = 'b68a35a7-17ad-35b3-af2a-ae46edb4545a';

/** Debezium writes an unchanged array of integers as the placeholder's character codes, one of UUIDs as one UUID. */
export function isPlaceholderList(items: readonly unknown[]): boolean {
  if (items.length === 1) return items[0] === PLACEHOLDER_UUID;
  if (items.length !== PLACEHOLDER.length) return false;
  return items.every((item, index) => item === PLACEHOLDER.charCodeAt(index));
}

/** Debezium writes an unchanged hstore as an object with the placeholder as key and value. */
export const isPlaceholderObject = (value: object): boolean =>
  (value as Readonly<Record<string, unknown>>)[PLACEHOLDER] === PLACEHOLDER;
