import { type Refusal, refusal } from '../reason.ts';

const NOT_UUID = refusal('not_uuid');
const LENGTH = 36;

/** A UUID with its four dashes, of any case; canonical is lower case. */
export function decodeUuid(value: unknown): string | Refusal {
  if (typeof value !== 'string' || value.length !== LENGTH) return NOT_UUID;
  let hasUpperCase = false;
  for (let index = 0; index < LENGTH; index++) {
    const code = value.charCodeAt(index);
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (code !== 0x2d) return NOT_UUID;
    } else if (code >= 0x41 && code <= 0x46) {
      hasUpperCase = true;
    } else if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) {
      return NOT_UUID;
    }
  }
  return `"${hasUpperCase ? value.toLowerCase() : value}"`;
}
