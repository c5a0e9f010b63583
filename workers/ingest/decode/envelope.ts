import { isUtf8 } from 'node:buffer';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { PartitionId } from '../apply/position.ts';
import type { KnownSchemas } from '../schemas/message-schema.ts';
import { isFramed, isFramedText } from '../schemas/wire-format.ts';
import { isCloudEvent } from './cloud-event.ts';
import { type MessagePart, type Unwrapped, unwrapBytes, unwrapText } from './connect-schema.ts';
import { type Decoded, type Ignored, rejected, unknownTable } from './decoded.ts';
import { envelopeOf } from './envelope-of.ts';
import { framedPayload, readFramed, unreadable } from './framed.ts';
import { parseJson } from './json.ts';
import {
  decodeMessage,
  decodePlainRow,
  isEnvelope,
  isRecord,
  type Message,
  type Stamp,
  serverName,
  timeMs,
} from './message.ts';
import { decoderOf } from './row-decoder.ts';
import type { RowShape } from './row-shape.ts';
import { recognizeRowless } from './rowless.ts';
import { snapshotVersion } from './version.ts';

export type * from './decoded.ts';

/** A record from Kafka or a file. */
export interface IncomingRecord {
  readonly topic: string;
  readonly key: string | Buffer | null;
  readonly value: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Offset in the partition or the file. */
  readonly offset: number;
  /** The record's own time in milliseconds since 1970. */
  readonly timestamp: number | null;
  /** The partition of its offset; missing for a line of a snapshot. */
  readonly readFrom?: PartitionId;
  /** For a line of a snapshot: when the snapshot was taken, in milliseconds since 1970. */
  readonly snapshotTimeMs?: number;
}

/** A record and its decoded form. */
export interface DecodedRecord {
  readonly record: IncomingRecord;
  readonly decoded: Decoded;
}

export interface DecodeContext {
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  /** A source's epoch: raised when its log positions start again. */
  epoch(source: Source): number;
  /** The registry's schemas of the records; default: none is known. */
  readonly schemas?: KnownSchemas | undefined;
}

/** For the rows of a snapshot. */
export interface SnapshotContext extends DecodeContext {
  /** When the snapshot was taken, in milliseconds since 1970. */
  readonly timeMs: number;
}

const HEARTBEAT = '__debezium-heartbeat.';

/** Decodes a record of any topic. It never throws: it returns invalid records as rejected. */
export function decodeRecord(record: IncomingRecord, context: DecodeContext): Decoded {
  const table = tableOf(record.topic, context.prefix);
  const source = sourceByTable.get(table);
  if (source !== undefined) return decodeSourceRecord(source, record, context);
  if (record.topic.startsWith(HEARTBEAT)) return decodeHeartbeat(record, context);
  const rowless = recognizeRowless(table, () => plainPayload(record.value, context));
  return rowless === null ? unknownTable(table) : ownNotice(rowless, context.prefix);
}

/** A producer reports the snapshots of its own connector only: a notification may empty a table. */
const ownNotice = ({ notice, ...ignored }: Ignored, prefix: string): Ignored =>
  notice?.connector === prefix ? { ...ignored, notice } : ignored;

/** The table in a topic's name; empty for another prefix. */
function tableOf(topic: string, prefix: string): string {
  return topic[prefix.length] === '.' && topic.startsWith(prefix) ? topic.slice(prefix.length + 1) : '';
}

/** Decodes a line of a snapshot file, the value of a record without a key: a row or an envelope. */
export function decodeSnapshotLine(
  source: Source,
  record: IncomingRecord,
  context: SnapshotContext,
): Decoded {
  const line = read(source, 'value', record.value, context);
  const epoch = context.epoch(source);
  const version = snapshotVersion(epoch, context.timeMs);
  if (line === null) return rejected(source, [{ field: 'value', reason: 'not_a_row' }], { version });
  const { payload, decoder } = line;
  if (isEnvelope(payload))
    return decodeMessage({ ...messageOf(source, { record, value: line, context }), epoch });
  return decodePlainRow(payload, decoder, { version, sourceTimeMs: context.timeMs });
}

/** Decodes a parsed row without an envelope. */
export const decodeRow = (source: Source, row: unknown, stamp: Stamp): Decoded =>
  decodePlainRow(row, decoderOf(source), stamp);

/** The columns that a record was sent with; null if it has no envelope with a row. Reads it again, so not for every record. */
export function shapeOf(
  source: Source,
  { value, headers }: IncomingRecord,
  context: Pick<DecodeContext, 'schemas'>,
): RowShape | null {
  const message = envelopeOf(source, read(source, 'value', value, context), headers);
  if (message === null || !isEnvelope(message.payload)) return null;
  const { after } = message.payload;
  return isRecord(after) ? message.decoder.shapeOf(after) : null;
}

function decodeSourceRecord(source: Source, record: IncomingRecord, context: DecodeContext): Decoded {
  const { value: content, headers } = record;
  // An unreadable value is not a tombstone: it counts as an invalid envelope.
  const given =
    content === null
      ? null
      : (read(source, 'value', content, context) ?? unreadable(source, 'not_an_envelope'));
  const value = envelopeOf(source, given, headers);
  return decodeMessage({ ...messageOf(source, { record, value, context }), epoch: context.epoch(source) });
}

interface ReadRecord {
  readonly record: IncomingRecord;
  readonly value: Unwrapped | null;
  readonly context: DecodeContext;
}

const messageOf = (source: Source, { record, value, context }: ReadRecord): Omit<Message, 'epoch'> => ({
  source,
  value,
  readKey: () => read(source, 'key', record.key, context),
  readKeyHeader: (name) => read(source, 'key', record.headers[name] ?? null, context),
  offset: record.offset,
  timestamp: record.timestamp,
  readFrom: record.readFrom,
});

/** Reads a part of a record, in JSON or of a schema; null if it is missing, or is not JSON in UTF-8. */
function read(
  source: Source,
  part: MessagePart,
  content: string | Buffer | null,
  { schemas }: Pick<DecodeContext, 'schemas'>,
): Unwrapped | null {
  if (content === null) return null;
  if (isFramed(content)) return readFramed(source, part, content, schemas);
  try {
    return typeof content === 'string'
      ? unwrapText(source, part, content)
      : unwrapBytes(source, part, content);
  } catch {
    return isFramedText(textOf(content) ?? '') ? unreadable(source, 'binary_as_text') : null;
  }
}

function textOf(content: string | Buffer | null): string | null {
  if (content === null || typeof content === 'string') return content;
  return isUtf8(content) ? content.toString() : null;
}

function decodeHeartbeat(record: IncomingRecord, context: DecodeContext): Decoded {
  const prefix = record.topic.slice(HEARTBEAT.length);
  if (prefix !== context.prefix) return { kind: 'ignored', why: `a heartbeat of ${prefix}` };
  const time = timeMs(plainPayload(record.value, context)?.ts_ms) ?? timeMs(record.timestamp);
  if (time === null) return { kind: 'ignored', why: 'a heartbeat without a time' };
  return {
    kind: 'heartbeat',
    connector: serverName(plainPayload(record.key, context)?.serverName) ?? prefix,
    timeMs: time,
  };
}

/** The payload of a record that is no row, with or without its schema or as a CloudEvent; null if it is unreadable. */
function plainPayload(
  content: string | Buffer | null,
  { schemas }: DecodeContext,
): Readonly<Record<string, unknown>> | null {
  if (isFramed(content)) return contentOf(framedPayload(content, schemas));
  const text = textOf(content);
  if (text === null) return null;
  try {
    return contentOf(parseJson(text));
  } catch {
    return null;
  }
}

function contentOf(value: unknown): Readonly<Record<string, unknown>> | null {
  const content = isCloudEvent(value) ? value.data : value;
  if (!isRecord(content)) return null;
  return isRecord(content.payload) && 'schema' in content ? content.payload : content;
}
