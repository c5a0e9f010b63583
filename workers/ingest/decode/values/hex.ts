import { type Rejection, rejection } from '../reason.ts';

/** Bits above a byte, so that they add up with the high byte of a character beyond Latin-1. */
const UPPER_CASE = 0x100;
const NO_DIGIT = 0x200;

const KINDS = new Uint16Array(256).fill(NO_DIGIT);
for (const digit of '0123456789abcdef') KINDS[digit.charCodeAt(0)] = 0;
for (const digit of 'ABCDEF') KINDS[digit.charCodeAt(0)] = UPPER_CASE;

/**
 * Classifies the characters from one index to before another; 0 if all are lower-case hex digits. It has no branches,
 * which mixed digits and letters would mispredict. Results of several ranges can be joined by `|`.
 */
function hexKinds(text: string, from: number, to: number): number {
  let kinds = 0;
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index);
    kinds |= (KINDS[code & 0xff] as number) | (code >> 8);
  }
  return kinds;
}

/** The text in lower case as JSON; null if it has other characters than hex digits. */
function lowerCaseJson(text: string, kinds: number): string | null {
  if (kinds === 0) return `"${text}"`;
  return kinds === UPPER_CASE ? `"${text.toLowerCase()}"` : null;
}

const NOT_HEX32 = rejection('not_hex32');

const BYTES = 32;
const HEX_LENGTH = 64;
const BASE64_LENGTH = 44;
const EQUALS_SIGN = 0x3d;

/** One byte more than an id, so that longer ones are detected. */
const scratch = Buffer.alloc(BYTES + 1);

/** A 32-byte id from hex digits of any case, the same after `\x`, or base64; canonical are lower-case digits. */
export function decodeHex(value: unknown): string | Rejection {
  if (typeof value !== 'string') return NOT_HEX32;
  if (value.length === HEX_LENGTH) return fromDigits(value);
  if (value.length === BASE64_LENGTH) return fromBase64(value);
  if (value.length === HEX_LENGTH + 2 && value.startsWith('\\x')) return fromDigits(value.slice(2));
  return NOT_HEX32;
}

const fromDigits = (value: string): string | Rejection =>
  lowerCaseJson(value, hexKinds(value, 0, HEX_LENGTH)) ?? NOT_HEX32;

/**
 * The decoder skips what is not base64, and 43 letters make 32 bytes: fewer than 43 good letters before the
 * padding give fewer bytes.
 */
function fromBase64(value: string): string | Rejection {
  if (value.charCodeAt(BASE64_LENGTH - 1) !== EQUALS_SIGN) return NOT_HEX32;
  return scratch.write(value, 'base64') === BYTES ? `"${scratch.toString('hex', 0, BYTES)}"` : NOT_HEX32;
}

const NOT_UUID = rejection('not_uuid');
const LENGTH = 36;

/** A UUID with its four dashes, of any case; canonical is lower case. */
export function decodeUuid(value: unknown): string | Rejection {
  if (typeof value !== 'string' || value.length !== LENGTH) return NOT_UUID;
  if (value[8] !== '-' || value[13] !== '-' || value[18] !== '-' || value[23] !== '-') return NOT_UUID;
  const kinds =
    hexKinds(value, 0, 8) |
    hexKinds(value, 9, 13) |
    hexKinds(value, 14, 18) |
    hexKinds(value, 19, 23) |
    hexKinds(value, 24, LENGTH);
  return lowerCaseJson(value, kinds) ?? NOT_UUID;
}
