import { createHash } from 'node:crypto';
import { columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';

const SEPARATOR = '\u001f';
const ESCAPE = '\u001e';

/**
 * An index entry of PostgreSQL holds 2,700 bytes, and one entry holds a subject, an order key and a key. Longer texts
 * are valid, so they are cut; those that must stay distinct end in a digest of the whole text.
 */
const MAX_KEY_BYTES = 900;
const MAX_SUBJECT_BYTES = 500;
const MAX_ORDER_BYTES = 900;
const DIGEST_BYTES = 65;
const MAX_BYTES_PER_CODE_UNIT = 3;

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

/** The value of a subject in references. */
export const subjectValue = (value: string): string => distinctWithin(value, MAX_SUBJECT_BYTES);

/** An order key within its bound. Rows with equal order keys differ in their keys. */
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
  text.length * MAX_BYTES_PER_CODE_UNIT <= bytes || Buffer.byteLength(text) <= bytes;

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

/** Ends a text before another value; smaller than any unescaped character. */
const END = '\u0001\u0001';
const ESCAPED_END = '\u0001\u0002';

/** Digits of a 64-bit integer, sign aside. */
const INT_DIGITS = 19;

/** Encodes a canonical value so that bytes compare like values. */
type OrderPart = (value: string) => string;

/** The compiled order of a surface: its columns, and the text of their canonical values. */
export interface OrderKey {
  readonly columns: readonly string[];
  of(values: readonly string[]): string;
}

/**
 * The keyset order of a source as one text to compare bytewise, ascending; empty without an order. The key breaks ties.
 * If a key column is an integer, whose text would sort wrongly, the key columns are part of the order.
 */
export function orderKey(source: Source): OrderKey {
  const declared = source.surface?.order ?? [];
  if (declared.length === 0) return { columns: [], of: () => '' };
  const order = [...declared];
  if (source.key.some((column) => encodingOf(source, column) === 'int')) {
    for (const column of source.key) {
      if (column !== source.subject.column) order.push({ column, direction: 'asc' });
    }
  }
  const parts = order.map(({ column, direction }) => orderPart(source, column, direction));
  return {
    columns: order.map(({ column }) => column),
    of: (values) => boundedOrder(joinParts(parts, values)),
  };
}

function joinParts(parts: readonly OrderPart[], values: readonly string[]): string {
  let key = '';
  for (let index = 0; index < parts.length; index++) {
    key += (parts[index] as OrderPart)(values[index] as string);
  }
  // The last value needs no end.
  return key.endsWith(END) ? key.slice(0, -END.length) : key;
}

function orderPart(source: Source, column: string, direction: 'asc' | 'desc'): OrderPart {
  const encoding = encodingOf(source, column);
  const ascending = ascendingPart(encoding);
  if (ascending === null) throw new Error(`${source.table} cannot be ordered by ${column}, a ${encoding}`);
  if (direction === 'asc') return ascending;
  if (ascending === textPart)
    throw new Error(`${source.table} cannot be ordered by ${column}, a text, descending`);
  return (value) => complement(ascending(value));
}

function ascendingPart(encoding: Encoding): OrderPart | null {
  switch (encoding) {
    case 'date':
    case 'ts':
      return (value) => value;
    case 'int':
      return intPart;
    case 'text':
    case 'hex':
    case 'uuid':
      return textPart;
    default:
      return null;
  }
}

const textPart: OrderPart = (value) =>
  (value.includes('\u0001') ? value.replaceAll('\u0001', ESCAPED_END) : value) + END;

/** A sign digit and 19 digits, complemented for a negative number. */
const intPart: OrderPart = (value) =>
  value.startsWith('-')
    ? `0${complement(value.slice(1).padStart(INT_DIGITS, '0'))}`
    : `1${value.padStart(INT_DIGITS, '0')}`;

const DIGITS_SUM = 0x30 + 0x39;
const scratch = Buffer.alloc(32);

/** Subtracts each digit from nine, so that ascending text is descending value. For short ASCII text. */
function complement(text: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    scratch[index] = code >= 0x30 && code <= 0x39 ? DIGITS_SUM - code : code;
  }
  return scratch.toString('latin1', 0, text.length);
}

function encodingOf(source: Source, column: string): Encoding {
  const declared = source.columns[column];
  if (declared === undefined) throw new Error(`${source.table} has no column ${column}`);
  const shape = columnShape(declared);
  if (shape.isList || shape.isNullable)
    throw new Error(`${source.table} cannot be ordered or keyed by ${column}`);
  return shape.encoding;
}
