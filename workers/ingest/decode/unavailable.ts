import { type Refusal, refusal } from './reason.ts';

/** What Debezium writes for a large value that an update did not change and the log did not carry. */
export const PLACEHOLDER = '__debezium_unavailable_value';

const PLACEHOLDER_BASE64 = Buffer.from(PLACEHOLDER).toString('base64');
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);

/**
 * Marks a value that is to be taken from the stored row. Where there is none to take it from (in a key, in a
 * row never seen), the value is missing.
 */
export const UNAVAILABLE: Refusal = refusal('missing');

/** Whether a value that is no list stands for one that did not change: as text, as bytes or as JSON text. */
export const isPlaceholder = (value: unknown): boolean =>
  value === PLACEHOLDER || value === PLACEHOLDER_BASE64 || value === PLACEHOLDER_JSON;

/** What Debezium makes of the placeholder where only a UUID will do. */
const PLACEHOLDER_UUID = 'b68a35a7-17ad-35b3-af2a-ae46edb4545a';

/** Debezium writes an unchanged array of integers as the character codes of the placeholder, one of UUIDs as one UUID. */
export function isPlaceholderList(items: readonly unknown[]): boolean {
  if (items.length === 1) return items[0] === PLACEHOLDER_UUID;
  if (items.length !== PLACEHOLDER.length) return false;
  return items.every((item, index) => item === PLACEHOLDER.charCodeAt(index));
}

/** It writes an unchanged hstore as an object of the placeholder by its own name. */
export const isPlaceholderObject = (value: object): boolean =>
  (value as Readonly<Record<string, unknown>>)[PLACEHOLDER] === PLACEHOLDER;
