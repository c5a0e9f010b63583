import type { FieldType } from '../field-types.ts';
import {
  IMPLAUSIBLE,
  INFINITE,
  infiniteOr,
  type Rejection,
  rejection,
  type ValueDecoder,
} from '../reason.ts';

/** Days from 1970-01-01 to the first day of the year 1 and to the last of the year 9999. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;
export const SECONDS_A_DAY = 86_400;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

/** A value from 0 to 99 as two digits. */
export const twoDigits = (value: number): string => DIGITS[value] as string;

/** The two digits at an index; NaN for other characters. */
export function readTwoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - 0x30;
  const ones = text.charCodeAt(index + 1) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Whether the text starts with a day that the calendar has, YYYY-MM-DD, from the year 1. */
export function startsWithDay(text: string): boolean {
  if (!startsWithMonth(text) || text.charCodeAt(7) !== 0x2d) return false;
  const month = readTwoDigits(text, 5);
  const day = readTwoDigits(text, 8);
  if (!(day >= 1)) return false;
  return day <= (DAYS_IN_MONTH[month - 1] ?? 0) || (month === 2 && day === 29 && isLeap(yearAt(text)));
}

/** Whether the text starts with a month, YYYY-MM. */
function startsWithMonth(text: string): boolean {
  if (!startsWithYear(text) || text.charCodeAt(4) !== 0x2d) return false;
  const month = readTwoDigits(text, 5);
  return month >= 1 && month <= 12;
}

/** Whether the text starts with a year of four digits, from 0001. */
const startsWithYear = (text: string): boolean => yearAt(text) >= 1;

const yearAt = (text: string): number => readTwoDigits(text, 0) * 100 + readTwoDigits(text, 2);

/** Days since 1970-01-01 of text that starts with a day. */
export function daysOf(text: string): number {
  const month = readTwoDigits(text, 5);
  // Years counted from March put the leap day last, which makes the days before a month a straight line.
  const year = yearAt(text) - (month <= 2 ? 1 : 0);
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + readTwoDigits(text, 8) - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** YYYY-MM-DD of a count of days since 1970-01-01; null outside the years 1 to 9999. */
export function dayText(days: number): string | null {
  if (!(days >= FIRST_DAY && days <= LAST_DAY)) return null;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${twoDigits(Math.floor(year / 100))}${twoDigits(year % 100)}-${twoDigits(month)}-${twoDigits(day)}`;
}

const NOT_DATE = rejection('not_date');
const NOT_PARTIAL_DATE = rejection('not_partial_date');

const DAY_LENGTH = 10;

/** PostgreSQL's infinite dates: the ends of 32 bits, and its driver's two constants in days. */
const INFINITE_DAYS: ReadonlySet<number> = new Set([
  2_147_483_647, -2_147_483_648, 106_751_991_166, 106_751_991_167, -106_751_991_168,
]);

/** A calendar day from ISO text (Debezium may close it with a Z) or days since 1970, which it counts in every mode. */
export function decodeDate(value: unknown): string | Rejection {
  if (typeof value === 'string') return decodeDayText(value);
  if (typeof value !== 'number' || !Number.isInteger(value)) return NOT_DATE;
  const text = dayText(value);
  if (text === null) return INFINITE_DAYS.has(value) ? INFINITE : IMPLAUSIBLE.days;
  return `"${text}"`;
}

function decodeDayText(value: string): string | Rejection {
  const isDay = value.length === DAY_LENGTH || (value.length === DAY_LENGTH + 1 && value.endsWith('Z'));
  if (!isDay || !startsWithDay(value)) return infiniteOr(value, NOT_DATE);
  return `"${value.slice(0, DAY_LENGTH)}"`;
}

/** If the message's schema has a unit smaller than days, an integer is not a date. */
export function dateDecoder(type: FieldType | null): ValueDecoder {
  if (type?.unit === undefined || type.unit === 'days') return decodeDate;
  return (value) => (typeof value === 'string' ? decodeDate(value) : NOT_DATE);
}

/** A year, a month or a day. */
export const decodePartialDate: ValueDecoder = (value) =>
  typeof value === 'string' && isPartialDate(value) ? `"${value}"` : NOT_PARTIAL_DATE;

function isPartialDate(value: string): boolean {
  switch (value.length) {
    case 4:
      return startsWithYear(value);
    case 7:
      return startsWithMonth(value);
    default:
      return value.length === DAY_LENGTH && startsWithDay(value);
  }
}
