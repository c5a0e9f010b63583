import type { Batch, KafkaMessage } from 'kafkajs';
import type { DecodedRecord } from '../decode/envelope.ts';
import { type DecodeContext, decodeRecord, type IncomingRecord } from '../decode/envelope.ts';

/** The decoder threw. It must not throw on any record, so the error is in our code. */
export class DecoderFailure extends Error {
  override readonly name = 'DecoderFailure';
  readonly offset: number;

  constructor(offset: number, cause: unknown) {
    super(`the decoder failed on offset ${offset}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
    this.offset = offset;
  }
}

export interface DecodedMessages {
  readonly records: readonly DecodedRecord[];
  /** Why the records end before the messages. */
  readonly failure: DecoderFailure | null;
}

/** Decodes messages of one partition, up to one on which the decoder fails. */
export function decodeMessages(
  { topic, partition }: Batch,
  messages: readonly KafkaMessage[],
  context: DecodeContext,
): DecodedMessages {
  const records: DecodedRecord[] = [];
  const readFrom = { topic, partition };
  for (const message of messages) {
    const record: IncomingRecord = {
      topic,
      key: message.key,
      value: message.value,
      headers: textHeaders(message.headers),
      offset: Number(message.offset),
      timestamp: Number(message.timestamp),
      readFrom,
    };
    try {
      records.push({ record, decoded: decodeRecord(record, context) });
    } catch (error) {
      return { records, failure: new DecoderFailure(record.offset, error) };
    }
  }
  return { records, failure: null };
}

const NO_HEADERS = {};

function textHeaders(headers: KafkaMessage['headers']): Record<string, string> {
  if (headers === undefined || !hasAny(headers)) return NO_HEADERS;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value.at(-1) : value)?.toString() ?? '',
    ]),
  );
}

/** Nearly no record has headers, and this makes no list of their names. */
function hasAny(headers: object): boolean {
  for (const _ in headers) return true;
  return false;
}

/** The delete that was applied last. */
export interface LastDelete {
  readonly table: string;
  readonly key: string;
}

/** The delete at the end of the records, whose tombstone comes next; null if they end otherwise. */
export function lastDeleteOf(records: readonly DecodedRecord[]): LastDelete | null {
  const decoded = records.at(-1)?.decoded;
  return decoded?.kind === 'delete' ? { table: decoded.source.table, key: decoded.key } : null;
}

/**
 * Takes the time from a first record that is the tombstone of the delete applied last, so that it has no effect. If a
 * producer repeats both, the tombstone may be younger than a row written after them, and would remove it.
 */
export function ignoreKnownTombstone(
  records: readonly DecodedRecord[],
  before: LastDelete | null,
): readonly DecodedRecord[] {
  const [first, ...rest] = before === null ? [] : records;
  if (before === null || first?.decoded.kind !== 'tombstone') return records;
  const { decoded, record } = first;
  if (decoded.source.table !== before.table || decoded.key !== before.key) return records;
  return [{ record, decoded: { ...decoded, timestamp: null } }, ...rest];
}
