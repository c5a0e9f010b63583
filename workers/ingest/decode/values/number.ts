import type { FieldType } from '../field-types.ts';
import { type Refusal, refusal, type ValueDecoder } from '../reason.ts';
import { connectDecimal } from './decimal.ts';

const NOT_INT = refusal('not_int');
const NOT_NUM = refusal('not_num');
const NOT_BOOL = refusal('not_bool');

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;

const INTEGER_TEXT = /^-?\d{1,40}(?:\.0{1,40})?$/;
const DECIMAL_TEXT = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;

/** Whole numbers of 64 bits, from a number or its decimal text. */
export function decodeInt(value: unknown): string | Refusal {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return NOT_INT;
    return value === 0 ? '0' : String(value);
  }
  if (typeof value === 'bigint') return value >= MIN_INT && value <= MAX_INT ? value.toString() : NOT_INT;
  if (typeof value !== 'string' || !INTEGER_TEXT.test(value)) return NOT_INT;
  const point = value.indexOf('.');
  return decodeInt(BigInt(point === -1 ? value : value.slice(0, point)));
}

/** Numbers of double precision, from a number or decimal text; canonical is the shortest text of the double. */
export function decodeNum(value: unknown): string | Refusal {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'bigint') return numberText(Number(value));
  return typeof value === 'string' && DECIMAL_TEXT.test(value) ? numberText(Number(value)) : NOT_NUM;
}

function numberText(value: number): string | Refusal {
  if (value === 0) return '0';
  return Number.isFinite(value) ? String(value) : NOT_NUM;
}

/** Where the message's schema declares a decimal, text is its unscaled value as base64 bytes. */
export function intDecoder(type: FieldType | null): ValueDecoder {
  return type?.decimal === undefined ? decodeInt : connectDecimal(type.decimal, decodeInt, NOT_INT);
}

export function numDecoder(type: FieldType | null): ValueDecoder {
  return type?.decimal === undefined ? decodeNum : connectDecimal(type.decimal, decodeNum, NOT_NUM);
}

export const decodeBool: ValueDecoder = (value) =>
  value === true ? 'true' : value === false ? 'false' : NOT_BOOL;
