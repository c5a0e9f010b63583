import type { DecimalType } from '../field-types.ts';
import type { Refusal, ValueDecoder } from '../reason.ts';

/** As many bytes as any PostgreSQL numeric that a double can stand for. */
const MAX_BYTES = 256;
const MAX_SCALE = 400;
/** Two's complement of up to six bytes is read as a number without loss. */
const MAX_NUMBER_BYTES = 6;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Decodes Connect's decimals: base64 of the unscaled value's two's complement, with the scale in the schema or,
 * where it varies, beside the value. Numbers go to the plain decoder as they are.
 */
export function connectDecimal(type: DecimalType, plain: ValueDecoder, refused: Refusal): ValueDecoder {
  return (value) => {
    if (typeof value === 'number' || typeof value === 'bigint') return plain(value);
    const text = type.scale === 'beside' ? varyingText(value) : decimalText(value, type.scale);
    return text === null ? refused : plain(text);
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
