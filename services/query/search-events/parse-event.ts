import type { TSchema } from '@sinclair/typebox';
import { Value, ValueErrorType } from '@sinclair/typebox/value';
import { BeaconError } from './beacon-error.ts';
import type { PayloadFaults } from './schema.ts';

/** A valid payload and its timestamp, in milliseconds since 1970. */
export interface ParsedEvent<T> {
  readonly event: T;
  readonly at: number;
}

/** @param body bytes, or undefined without a body. @throws BeaconError `invalid_json` if it is not JSON in UTF-8 */
export function parseJson(body: unknown): unknown {
  try {
    if (!Buffer.isBuffer(body)) throw new BeaconError('invalid_json');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new BeaconError('invalid_json');
  }
}

/**
 * The declared members of a payload; others are ignored.
 *
 * @throws BeaconError `invalid_payload` with every validation error
 */
export function parseEvent<E>(schema: TSchema & { static: E }, payload: unknown): ParsedEvent<E> {
  const faults: PayloadFaults = { formErrors: [], fieldErrors: {} };
  const reported = new Set<string>();
  for (const { path, schema: expected, message, type } of Value.Errors(schema, payload)) {
    // Report a missing member only once.
    if (!reported.has(path))
      note(faults, path.slice(1), type === ValueErrorType.Union ? choiceOf(expected) : message);
    reported.add(path);
  }
  const { timestamp } = Object(payload) as { timestamp?: unknown };
  const at = typeof timestamp === 'string' ? parseTimestamp(timestamp) : null;
  if (at === null && typeof timestamp === 'string')
    note(faults, 'timestamp', 'Expected an ISO 8601 date-time with Z or an offset');
  if (at === null || hasAny(faults)) throw new BeaconError('invalid_payload', { details: faults });
  const event = Value.Clean(schema, payload) as E;
  for (const path of unstorable(event)) note(faults, path, 'Expected text without NUL and lone surrogates');
  if (hasAny(faults)) throw new BeaconError('invalid_payload', { details: faults });
  return { event, at };
}

/** The message for a value outside its union. */
function choiceOf({ anyOf }: TSchema): string {
  const choices: readonly TSchema[] = anyOf;
  const constants = choices.flatMap(({ const: constant }) => constant ?? []);
  if (constants.length > 0) return `Expected one of ${constants.join(', ')}`;
  const kinds = choices.map(({ type, items }) => (type === 'array' ? `array of ${items.type}s` : type));
  return `Expected ${kinds.join(' or ')}`;
}

const hasAny = ({ formErrors, fieldErrors }: PayloadFaults): boolean =>
  formErrors.length > 0 || Object.keys(fieldErrors).length > 0;

/** Groups errors by member; the message has the deeper path. */
function note({ formErrors, fieldErrors }: PayloadFaults, path: string, message: string): void {
  const [field = '', ...deeper] = path.split('/');
  const text = deeper.length === 0 ? message : `${deeper.join('.')}: ${message}`;
  if (field === '') formErrors.push(text);
  else fieldErrors[field] = [...(fieldErrors[field] ?? []), text];
}

/** Paths of texts that PostgreSQL cannot store. */
function* unstorable(value: unknown, path: readonly string[] = []): Generator<string> {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) yield path.join('/');
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* unstorable(inner, [...path, name]);
  }
}

const DATE_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})$/;

/** An ISO 8601 date-time with Z or an offset, in milliseconds since 1970; null if invalid. */
export function parseTimestamp(text: string): number | null {
  const { day } = DATE_TIME.exec(text)?.groups ?? {};
  if (day === undefined) return null;
  const at = Date.parse(text);
  // Date.parse reads 30 February as 2 March.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || Number.isNaN(midnight)) return null;
  return new Date(midnight).toISOString().startsWith(day) ? at : null;
}
