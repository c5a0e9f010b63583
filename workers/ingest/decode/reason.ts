/** Why a value was refused, in the words of the dead letters. */
export type Reason =
  | 'bad_item'
  | 'missing'
  | 'not_a_row'
  | 'not_an_envelope'
  | 'not_array'
  | 'not_bool'
  | 'not_date'
  | 'not_hex32'
  | 'not_in_list'
  | 'not_int'
  | 'not_json'
  | 'not_num'
  | 'not_partial_date'
  | 'not_text'
  | 'not_ts'
  | 'not_uuid'
  | 'null_not_allowed'
  | 'too_long'
  | 'too_many_items'
  | 'unknown_op'
  | 'unknown_table';

export interface Violation {
  readonly field: string;
  readonly reason: Reason;
}

/** What a value decoder answers in place of JSON text. An object, so that one `typeof` tells the two apart. */
export interface Refusal {
  readonly reason: Reason;
}

/** Brings a value that is neither null nor absent to its canonical JSON text. */
export type ValueDecoder = (value: unknown) => string | Refusal;

export const refusal = (reason: Reason): Refusal => ({ reason });

export const MISSING = refusal('missing');
export const NULL_NOT_ALLOWED = refusal('null_not_allowed');
