import { createHash } from 'node:crypto';

const SEPARATOR = '\u001f';
const ESCAPE = '\u001e';

/**
 * An index entry of PostgreSQL holds 2,700 bytes, and one entry holds a subject, an order key and a key. Longer
 * texts are legal, so they are cut, and what would have to stay distinct ends in a digest of the whole.
 */
const MAX_KEY_BYTES = 900;
const MAX_SUBJECT_BYTES = 500;
const MAX_ORDER_BYTES = 900;
const DIGEST_BYTES = 65;
const MOST_BYTES_A_CODE_UNIT = 3;

/**
 * The key of a mirror row as one text: the canonical values of the key columns in the producer's order, separated
 * by U+001F. Where a value itself holds U+001F or U+001E, they are written U+001E 1 and U+001E 0, so that no two
 * keys give the same text.
 */
export function rowKey(values: readonly string[]): string {
  const first = values[0] ?? '';
  if (values.length === 1) return distinctWithin(first, MAX_KEY_BYTES);
  let key = escaped(first);
  for (let index = 1; index < values.length; index++) key += SEPARATOR + escaped(values[index] ?? '');
  return distinctWithin(key, MAX_KEY_BYTES);
}

/** The value of a subject, as it addresses rows. */
export const subjectValue = (value: string): string => distinctWithin(value, MAX_SUBJECT_BYTES);

/** An order key within its bounds. Rows that agree in all that is kept are told apart by their keys. */
export const boundedOrder = (order: string): string => within(order, MAX_ORDER_BYTES);

function escaped(value: string): string {
  if (!value.includes(SEPARATOR) && !value.includes(ESCAPE)) return value;
  return value.replaceAll(ESCAPE, `${ESCAPE}0`).replaceAll(SEPARATOR, `${ESCAPE}1`);
}

function distinctWithin(text: string, bytes: number): string {
  if (isWithin(text, bytes)) return text;
  return `${within(text, bytes - DIGEST_BYTES)}~${createHash('sha256').update(text).digest('hex')}`;
}

const isWithin = (text: string, bytes: number): boolean =>
  text.length * MOST_BYTES_A_CODE_UNIT <= bytes || Buffer.byteLength(text) <= bytes;

/** The longest beginning that takes up no more bytes, characters kept whole. */
function within(text: string, bytes: number): string {
  if (isWithin(text, bytes)) return text;
  let end = 0;
  let used = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
