import { type Refusal, refusal } from '../reason.ts';
import { hexKinds, lowerCaseJson } from './hex-digits.ts';

const NOT_HEX32 = refusal('not_hex32');

const BYTES = 32;
const HEX_LENGTH = 64;
const BASE64_LENGTH = 44;
const EQUALS_SIGN = 0x3d;

/** One byte more than an id has, so that a longer one is seen to be longer. */
const scratch = Buffer.alloc(BYTES + 1);

/** A 32-byte id from hex digits of any case, the same after `\x`, or base64; canonical are lower-case digits. */
export function decodeHex(value: unknown): string | Refusal {
  if (typeof value !== 'string') return NOT_HEX32;
  if (value.length === HEX_LENGTH) return fromDigits(value);
  if (value.length === BASE64_LENGTH) return fromBase64(value);
  if (value.length === HEX_LENGTH + 2 && value.startsWith('\\x')) return fromDigits(value.slice(2));
  return NOT_HEX32;
}

const fromDigits = (value: string): string | Refusal =>
  lowerCaseJson(value, hexKinds(value, 0, HEX_LENGTH)) ?? NOT_HEX32;

/**
 * The decoder skips what is not base64, and 43 letters make 32 bytes: fewer than 43 good letters before the
 * padding give fewer bytes.
 */
function fromBase64(value: string): string | Refusal {
  if (value.charCodeAt(BASE64_LENGTH - 1) !== EQUALS_SIGN) return NOT_HEX32;
  return scratch.write(value, 'base64') === BYTES ? `"${scratch.toString('hex', 0, BYTES)}"` : NOT_HEX32;
}
