import type { ColumnShape, TimeUnit } from '../../../../projections/contracts/columns.ts';
import type { TimePrecisionMode } from '../../../../projections/contracts/contract.ts';
import type { FieldType } from '../field-types.ts';
import {
  IMPLAUSIBLE,
  INFINITE,
  infiniteOr,
  type Rejection,
  rejection,
  type ValueDecoder,
} from '../reason.ts';
import { daysOf, dayText, readTwoDigits, SECONDS_A_DAY, startsWithDay, twoDigits } from './date.ts';

const NOT_TS = rejection('not_ts');
const UNIT_NOT_STATED = rejection('unit_not_stated');

const CANONICAL_LENGTH = '1970-01-01T00:00:00Z'.length;
const COLON = 0x3a;
const LETTER_Z = 0x5a;

const PER_SECOND: Readonly<Record<Exclude<TimeUnit, 'days'>, number>> = {
  ms: 1e3,
  us: 1e6,
  ns: 1e9,
};

/** What Debezium counts for a `timestamp` of six digits; null if it writes text. */
const UNIT_OF_MODE: Readonly<Record<TimePrecisionMode, TimeUnit | null>> = {
  adaptive: 'us',
  adaptive_time_microseconds: 'us',
  connect: 'ms',
  isostring: null,
  microseconds: 'us',
  nanoseconds: 'ns',
};

/** The last millisecond of the year 9999: up to it, a count could be one of milliseconds. */
const LAST_MS = 253_402_300_799_999;

/** PostgreSQL's infinite instants: the two constants of its driver, and the ends of 64 bits. */
const INFINITE_COUNTS = [
  9223372036825200000n,
  -9223372036832400000n,
  9223372036854775807n,
  -9223372036854775808n,
] as const;

/** As milliseconds they may have been cut from microseconds; as nanoseconds they overflow into hours around 1970. */
const INFINITE_IN: Readonly<Record<TimeUnit, ReadonlySet<number | bigint>>> = {
  days: new Set(),
  ms: new Set([...INFINITE_COUNTS, 9223372036825200n, -9223372036832400n]),
  us: new Set(INFINITE_COUNTS),
  ns: new Set<number | bigint>([
    ...INFINITE_COUNTS,
    -29_575_808_000,
    22_375_808_000,
    -29_575_808_000_000,
    22_375_808_000_000,
  ]),
};

/**
 * Decodes an instant: ISO text with an offset, or an integer since 1970. Canonical is UTC without the fraction.
 *
 * The unit of an integer is that of the message's schema, else that of the contract. Without either, integers are the
 * microseconds that Debezium counts by default, and those that could be milliseconds are rejected.
 *
 * @param mode the connector's setting that the contract states
 */
export function timestampDecoder(
  type: FieldType | null,
  { counts }: Pick<ColumnShape, 'counts'>,
  mode: TimePrecisionMode | null,
): ValueDecoder {
  const stated = type?.unit ?? counts.unit ?? (mode === null ? undefined : UNIT_OF_MODE[mode]);
  const unit = stated === undefined ? 'us' : stated;
  const from = counts.from === undefined ? -Infinity : daysOf(counts.from) * SECONDS_A_DAY;
  const before = counts.to === undefined ? Infinity : (daysOf(counts.to) + 1) * SECONDS_A_DAY;
  return (value) => {
    if (typeof value === 'string') return decodeInstantText(value);
    if (typeof value === 'number' ? !Number.isInteger(value) : typeof value !== 'bigint') return NOT_TS;
    const count = value as number | bigint;
    if (unit === null || (stated === undefined && count <= LAST_MS && count >= -LAST_MS))
      return UNIT_NOT_STATED;
    if (INFINITE_IN[unit].has(count)) return INFINITE;
    const seconds = secondsOf(count, unit);
    const isPlausible = seconds >= from && seconds < before;
    return (isPlausible ? instantText(seconds) : null) ?? IMPLAUSIBLE[unit];
  };
}

function secondsOf(count: number | bigint, unit: TimeUnit): number {
  if (unit === 'days') return Number(count) * SECONDS_A_DAY;
  // A bigint is cut to whole seconds before it becomes a number: rounded, it could fall into the next second.
  return typeof count === 'bigint'
    ? bigintSeconds(count, BigInt(PER_SECOND[unit]))
    : Math.floor(count / PER_SECOND[unit]);
}

function bigintSeconds(value: bigint, perSecond: bigint): number {
  const seconds = value / perSecond;
  return Number(value < 0n && seconds * perSecond !== value ? seconds - 1n : seconds);
}

/** Canonical JSON text of seconds since 1970; null outside the calendar. */
function instantText(seconds: number): string | null {
  const days = Math.floor(seconds / SECONDS_A_DAY);
  const day = dayText(days);
  if (day === null) return null;
  const left = seconds - days * SECONDS_A_DAY;
  const hour = twoDigits(Math.floor(left / 3_600));
  return `"${day}T${hour}:${twoDigits(Math.floor(left / 60) % 60)}:${twoDigits(left % 60)}Z"`;
}

function decodeInstantText(value: string): string | Rejection {
  const seconds = secondsOfDay(value);
  if (Number.isNaN(seconds) || !startsWithDay(value)) return infiniteOr(value, NOT_TS);
  if (value.length === CANONICAL_LENGTH && value.charCodeAt(19) === LETTER_Z && value[10] === 'T')
    return `"${value}"`;
  const zone = zoneIndex(value);
  const offset = zoneSeconds(value, zone);
  if (Number.isNaN(offset)) return NOT_TS;
  return instantText(daysOf(value) * SECONDS_A_DAY + seconds - offset) ?? NOT_TS;
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
