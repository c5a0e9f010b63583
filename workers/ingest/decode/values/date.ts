import type { FieldType } from '../field-types.ts';
import { type Refusal, refusal, type ValueDecoder } from '../reason.ts';
import { dayText, startsWithDay, startsWithMonth, startsWithYear } from './calendar.ts';

const NOT_DATE = refusal('not_date');
const NOT_PARTIAL_DATE = refusal('not_partial_date');

const DAY_LENGTH = 10;

/**
 * A calendar day from ISO text (Debezium may close it with a Z) or days since 1970. PostgreSQL's infinite dates
 * come as counts outside the calendar and are refused.
 */
export function decodeDate(value: unknown): string | Refusal {
  if (typeof value === 'string') return decodeDayText(value);
  if (typeof value !== 'number' || !Number.isInteger(value)) return NOT_DATE;
  const text = dayText(value);
  return text === null ? NOT_DATE : `"${text}"`;
}

function decodeDayText(value: string): string | Refusal {
  if (value.length === DAY_LENGTH) return startsWithDay(value) ? `"${value}"` : NOT_DATE;
  if (value.length !== DAY_LENGTH + 1 || !value.endsWith('Z')) return NOT_DATE;
  return startsWithDay(value) ? `"${value.slice(0, DAY_LENGTH)}"` : NOT_DATE;
}

/** Where the message's schema says that an integer counts something smaller than days, it is no date. */
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
