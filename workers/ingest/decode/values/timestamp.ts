import type { FieldType, TimeUnit } from '../field-types.ts';
import { type Rejection, rejection, type ValueDecoder } from '../reason.ts';
import { daysOf, dayText, readTwoDigits, SECONDS_A_DAY, startsWithDay, twoDigits } from './date.ts';

const NOT_TS = rejection('not_ts');

const CANONICAL_LENGTH = '1970-01-01T00:00:00Z'.length;
const COLON = 0x3a;
const LETTER_Z = 0x5a;

/** From the first millisecond of 2201 on, a number is read as microseconds, and a thousand times that as nanoseconds. */
const MS_LIMIT = Date.UTC(2201, 0, 1);
const US_LIMIT = MS_LIMIT * 1_000;
const NS_LIMIT = MS_LIMIT * 1_000_000;

const PER_SECOND: Readonly<Record<Exclude<TimeUnit, 'days'>, number>> = {
  ms: 1e3,
  us: 1e6,
  ns: 1e9,
};

/**
 * An instant, from ISO text with an offset or from an integer since 1970 whose magnitude shows its unit. Canonical is
 * UTC without the fraction. PostgreSQL's infinite instants are beyond every unit's range and are rejected.
 */
export function decodeTimestamp(value: unknown): string | Rejection {
  if (typeof value === 'string') return decodeInstantText(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return NOT_TS;
  // A bigint stays one: rounded, the last instants of 2200 would be those of 2201.
  const magnitude = value < 0 ? -value : value;
  if (magnitude < MS_LIMIT) return decodeCount(value, 'ms');
  if (magnitude < US_LIMIT) return decodeCount(value, 'us');
  return magnitude < NS_LIMIT ? decodeCount(value, 'ns') : NOT_TS;
}

/** A unit in the message's schema decides. */
export function timestampDecoder(type: FieldType | null): ValueDecoder {
  const unit = type?.unit;
  if (unit === undefined) return decodeTimestamp;
  return (value) => {
    if (typeof value === 'string') return decodeInstantText(value);
    return typeof value === 'number' || typeof value === 'bigint' ? decodeCount(value, unit) : NOT_TS;
  };
}

function decodeCount(value: number | bigint, unit: TimeUnit): string | Rejection {
  if (typeof value === 'number' && !Number.isInteger(value)) return NOT_TS;
  if (unit === 'days') return instant(Number(value) * SECONDS_A_DAY);
  // A bigint is cut to whole seconds before it becomes a number: rounded, it could fall into the next second.
  return instant(
    typeof value === 'bigint'
      ? bigintSeconds(value, BigInt(PER_SECOND[unit]))
      : Math.floor(value / PER_SECOND[unit]),
  );
}

function bigintSeconds(value: bigint, perSecond: bigint): number {
  const seconds = value / perSecond;
  return Number(value < 0n && seconds * perSecond !== value ? seconds - 1n : seconds);
}

/** Canonical JSON text of seconds since 1970. */
function instant(seconds: number): string | Rejection {
  const days = Math.floor(seconds / SECONDS_A_DAY);
  const day = dayText(days);
  if (day === null) return NOT_TS;
  const left = seconds - days * SECONDS_A_DAY;
  const hour = twoDigits(Math.floor(left / 3_600));
  return `"${day}T${hour}:${twoDigits(Math.floor(left / 60) % 60)}:${twoDigits(left % 60)}Z"`;
}

function decodeInstantText(value: string): string | Rejection {
  const seconds = secondsOfDay(value);
  if (Number.isNaN(seconds) || !startsWithDay(value)) return NOT_TS;
  if (value.length === CANONICAL_LENGTH && value.charCodeAt(19) === LETTER_Z && value[10] === 'T')
    return `"${value}"`;
  const zone = zoneIndex(value);
  const offset = zoneSeconds(value, zone);
  return Number.isNaN(offset) ? NOT_TS : instant(daysOf(value) * SECONDS_A_DAY + seconds - offset);
}

/** Seconds since midnight of the time at index 11, HH:MM with or without :SS; NaN if there is none. */
function secondsOfDay(value: string): number {
  const separator = value[10];
  if ((separator !== 'T' && separator !== 't' && separator !== ' ') || value.charCodeAt(13) !== COLON)
    return Number.NaN;
  const hour = readTwoDigits(value, 11);
  const minute = readTwoDigits(value, 14);
  const second = value.charCodeAt(16) === COLON ? readTwoDigits(value, 17) : 0;
  return hour < 24 && minute < 60 && second < 60 ? (hour * 60 + minute) * 60 + second : Number.NaN;
}

/** Index of the offset: after the seconds and the fraction, if there are any. */
function zoneIndex(value: string): number {
  if (value.charCodeAt(16) !== COLON) return 16;
  if (value[19] !== '.') return 19;
  let index = 20;
  while (value.charCodeAt(index) >= 0x30 && value.charCodeAt(index) <= 0x39) index++;
  return index === 20 ? Number.NaN : index;
}

const ZONE = /^(?<sign>[+-])(?<hours>\d\d)(?::?(?<minutes>[0-5]\d)(?::?(?<seconds>[0-5]\d))?)?$/;
const MAX_OFFSET_SECONDS = 18 * 3_600;

/** Seconds east of UTC; NaN if the text does not end in an offset. */
function zoneSeconds(value: string, index: number): number {
  if (Number.isNaN(index)) return Number.NaN;
  const zone = value.slice(index);
  if (zone === 'Z' || zone === 'z') return 0;
  const parts = ZONE.exec(zone)?.groups;
  if (parts === undefined) return Number.NaN;
  const size = Number(parts.hours) * 3_600 + Number(parts.minutes ?? 0) * 60 + Number(parts.seconds ?? 0);
  return size > MAX_OFFSET_SECONDS ? Number.NaN : parts.sign === '-' ? -size : size;
}
