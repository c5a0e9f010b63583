import { type Refusal, refusal } from '../reason.ts';
import { hexKinds, lowerCaseJson } from './hex-digits.ts';

const NOT_UUID = refusal('not_uuid');
const LENGTH = 36;

/** A UUID with its four dashes, of any case; canonical is lower case. */
export function decodeUuid(value: unknown): string | Refusal {
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
