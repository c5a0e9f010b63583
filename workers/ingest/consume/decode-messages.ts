import type { Batch, KafkaMessage } from 'kafkajs';
import { type DecodeContext, decodeRecord, type IncomingRecord } from '../decode/envelope.ts';
import type { DecodedRecord } from '../ingest-batch.ts';

/** The decoder threw on a record, which it does on none: what is at fault is our code, not the record. */
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
  /** Why the records end before the messages do. */
  readonly failure: DecoderFailure | null;
}

/** Decodes messages of one partition, up to one that makes the decoder fail. */
export function decodeMessages(
  { topic }: Batch,
  messages: readonly KafkaMessage[],
  context: DecodeContext,
): DecodedMessages {
  const records: DecodedRecord[] = [];
  for (const message of messages) {
    const record: IncomingRecord = {
      topic,
      key: message.key,
      value: message.value,
      headers: textHeaders(message.headers),
      offset: Number(message.offset),
      timestamp: Number(message.timestamp),
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
  if (headers === undefined) return NO_HEADERS;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value.at(-1) : value)?.toString() ?? '',
    ]),
  );
}
