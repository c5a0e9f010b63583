import type { IncomingRecord } from './envelope.ts';
import { jsonText, parseJson } from './json.ts';
import { isRecord } from './message.ts';

/**
 * Reads a line of a file of change events, `{"topic", "key", "value", "headers", "timestamp"}`, as a Kafka record. Key
 * and value may be JSON or its text. Any other line becomes a record without a topic, which no source accepts.
 *
 * @param line bytes if it is not UTF-8
 */
export function parseChangeLine(line: string | Buffer, offset: number): IncomingRecord {
  const { topic, key, value, headers, timestamp } = typeof line === 'string' ? members(line) : NONE;
  if (typeof topic !== 'string')
    return { topic: '', key: null, value: line, headers: {}, offset, timestamp: null };
  return {
    topic,
    key: partText(key),
    value: partText(value),
    headers: isRecord(headers) ? textMembers(headers) : {},
    offset,
    timestamp: typeof timestamp === 'number' ? timestamp : null,
  };
}

const NONE: Readonly<Record<string, unknown>> = {};

function members(line: string): Readonly<Record<string, unknown>> {
  try {
    const parsed = parseJson(line);
    return isRecord(parsed) ? parsed : NONE;
  } catch {
    return NONE;
  }
}

function partText(part: unknown): string | null {
  if (part === null || part === undefined) return null;
  return typeof part === 'string' ? part : jsonText(part);
}

const textMembers = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, partText(value) ?? '']));
