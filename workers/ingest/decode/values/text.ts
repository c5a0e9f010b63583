import { MAX_TEXT_LENGTH } from '../../../../projections/contracts/columns.ts';
import { PLACEHOLDER, type Rejection, rejection, UNAVAILABLE } from '../reason.ts';

const NOT_TEXT = rejection('not_text');
const TOO_LONG = rejection('too_long');

/** Text of at most 20,000 characters that PostgreSQL can hold: no U+0000, no half of a surrogate pair. */
export function decodeText(value: unknown): string | Rejection {
  if (typeof value !== 'string') return NOT_TEXT;
  if (value.length > MAX_TEXT_LENGTH && isTooLong(value)) return TOO_LONG;
  if (value === PLACEHOLDER) return UNAVAILABLE;
  const text = JSON.stringify(value);
  // Invalid characters are always escaped, so text without escapes is valid.
  return text.length === value.length + 2 || isStorable(value) ? text : NOT_TEXT;
}

const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes('\u0000');

/** Characters are counted as PostgreSQL and JSON Schema count them: a surrogate pair is one. */
function isTooLong(value: string): boolean {
  let characters = 0;
  for (const _ of value) {
    if (++characters > MAX_TEXT_LENGTH) return true;
  }
  return false;
}
