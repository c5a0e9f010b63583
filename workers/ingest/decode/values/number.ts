import type { ColumnShape, NonFinite } from '../../../../projections/contracts/columns.ts';
import type { DecimalType, FieldType } from '../field-types.ts';
import { infiniteOr, type Rejection, rejection, type ValueDecoder } from '../reason.ts';

const NOT_INT = rejection('not_int');
const NOT_NUM = rejection('not_num');
const NOT_BOOL = rejection('not_bool');

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;

const INTEGER_TEXT = /^-?\d{1,40}(?:\.0{1,40})?$/;
const DECIMAL_TEXT = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;

/** Whole numbers of 64 bits, from a number or its decimal text. */
export function decodeInt(value: unknown): string | Rejection {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return NOT_INT;
    return value === 0 ? '0' : String(value);
  }
  if (typeof value === 'bigint') return value >= MIN_INT && value <= MAX_INT ? value.toString() : NOT_INT;
  if (typeof value !== 'string') return NOT_INT;
  if (!INTEGER_TEXT.test(value)) return infiniteOr(nonFiniteText(value), NOT_INT);
  const point = value.indexOf('.');
  return decodeInt(BigInt(point === -1 ? value : value.slice(0, point)));
}

/** Numbers of double precision, from a number or decimal text; canonical is the shortest text of the double. */
export function decodeNum(value: unknown): string | Rejection {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'bigint') return numberText(Number(value));
  if (typeof value !== 'string') return NOT_NUM;
  return DECIMAL_TEXT.test(value) ? numberText(Number(value)) : infiniteOr(nonFiniteText(value), NOT_NUM);
}

/** PostgreSQL's names for what is not a finite number, and those of Debezium's text mode. */
const NON_FINITE: ReadonlyMap<string, NonFinite> = new Map([
  ['nan', 'NaN'],
  ['infinity', 'Infinity'],
  ['positive_infinity', 'Infinity'],
  ['-infinity', '-Infinity'],
  ['negative_infinity', '-Infinity'],
]);

const nonFiniteText = (text: string): string => NON_FINITE.get(text.toLowerCase()) ?? text;

function numberText(value: number): string | Rejection {
  if (value === 0) return '0';
  return Number.isFinite(value) ? String(value) : NOT_NUM;
}

/** If the message's schema declares a decimal, text is its unscaled value as base64. */
export function intDecoder(type: FieldType | null): ValueDecoder {
  return type?.decimal === undefined ? decodeInt : connectDecimal(type.decimal, decodeInt, NOT_INT);
}

export function numDecoder(
  type: FieldType | null,
  { nonFinite }: Pick<ColumnShape, 'nonFinite'>,
): ValueDecoder {
  const finite = type?.decimal === undefined ? decodeNum : connectDecimal(type.decimal, decodeNum, NOT_NUM);
  return nonFinite ? (value) => decodeNonFinite(value) ?? finite(value) : finite;
}

function decodeNonFinite(value: unknown): string | null {
  const name = typeof value === 'string' ? NON_FINITE.get(value.toLowerCase()) : undefined;
  return name === undefined ? null : `"${name}"`;
}

export const decodeBool: ValueDecoder = (value) =>
  value === true ? 'true' : value === false ? 'false' : NOT_BOOL;

/** The size of the largest PostgreSQL numeric within the range of a double. */
const MAX_BYTES = 256;
const MAX_SCALE = 400;
/** Two's complement of up to six bytes fits a number without loss. */
const MAX_NUMBER_BYTES = 6;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Decodes Connect's decimals: base64 of the unscaled value's two's complement, with the scale in the schema or, if it
 * varies, next to the value. The plain decoder reads numbers.
 */
function connectDecimal(type: DecimalType, plain: ValueDecoder, invalid: Rejection): ValueDecoder {
  return (value) => {
    if (typeof value === 'number' || typeof value === 'bigint') return plain(value);
    const text = type.scale === 'each' ? varyingText(value) : decimalText(value, type.scale);
    return text === null ? invalid : plain(text);
  };
}

function varyingText(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('scale' in value) || !('value' in value)) return null;
  return typeof value.scale === 'number' ? decimalText(value.value, value.scale) : null;
}

function decimalText(value: unknown, scale: number): string | null {
  if (typeof value !== 'string' || value === '' || !BASE64.test(value)) return null;
  if (!Number.isInteger(scale) || Math.abs(scale) > MAX_SCALE) return null;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length > MAX_BYTES) return null;
  const unscaled = bytes.length <= MAX_NUMBER_BYTES ? bytes.readIntBE(0, bytes.length) : wideInteger(bytes);
  return withPoint(unscaled.toString(), scale);
}

function wideInteger(bytes: Buffer): bigint {
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}

function withPoint(unscaled: string, scale: number): string {
  if (scale <= 0) return unscaled + '0'.repeat(-scale);
  const sign = unscaled.startsWith('-') ? '-' : '';
  const digits = unscaled.slice(sign.length).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
