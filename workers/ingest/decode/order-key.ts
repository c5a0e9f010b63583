import { columnShape, type Encoding } from '../../../projections/sources/columns.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { boundedOrder } from './row-key.ts';

/** Ends a text that another value follows; smaller than any character that is not itself escaped. */
const END = '\u0001\u0001';
const ESCAPED_END = '\u0001\u0002';

/** Digits of a 64-bit integer, sign aside. */
const INT_DIGITS = 19;

/** Writes a canonical value so that comparing bytes compares values. */
type OrderPart = (value: string) => string;

/** The order of a surface, compiled: the columns it needs and the text made of their canonical values. */
export interface OrderKey {
  readonly columns: readonly string[];
  of(values: readonly string[]): string;
}

/**
 * The keyset order of a source as one text, to be compared bytewise, ascending; empty for a source without an
 * order. Ties are broken by the key; where a key column is an integer, whose text would sort wrongly, the key
 * columns are part of the order.
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
  // Nothing follows the last value, so its end says nothing.
  return key.endsWith(END) ? key.slice(0, -END.length) : key;
}

function orderPart(source: Source, column: string, direction: 'asc' | 'desc'): OrderPart {
  const encoding = encodingOf(source, column);
  const ascending = ascendingPart(encoding);
  if (ascending === null) throw new Error(`${source.table} cannot be ordered by ${column}, a ${encoding}`);
  if (direction === 'asc') return ascending;
  if (ascending === textPart)
    throw new Error(`${source.table} cannot be ordered by ${column}, a text, downwards`);
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

/** A sign digit and 19 digits; those of a negative number are turned round. */
const intPart: OrderPart = (value) =>
  value.startsWith('-')
    ? `0${complement(value.slice(1).padStart(INT_DIGITS, '0'))}`
    : `1${value.padStart(INT_DIGITS, '0')}`;

const DIGITS_SUM = 0x30 + 0x39;
const scratch = Buffer.alloc(32);

/** Every digit taken from nine, so that ascending text is descending value. For short ASCII text. */
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
