import { isUtf8 } from 'node:buffer';
import type { Source } from '../../../projections/sources/contract.ts';
import { sourceByTable, sources } from '../../../projections/sources/index.ts';
import { type Part, type Unwrapped, unwrapText } from './connect-schema.ts';
import { type Decoded, type Ignored, refusedFor, type Upsert, unknownTable } from './decoded.ts';
import { decodeMessage, decodePlainRow, isEnvelope, isRecord, type Message, timeMs } from './message.ts';
import { parseJson } from './parse-json.ts';
import { decoderOf } from './row-decoder.ts';
import { snapshotVersion } from './version.ts';

export type * from './decoded.ts';

/** A record as Kafka or a file hands it over. */
export interface IncomingRecord {
  readonly topic: string;
  readonly key: string | Buffer | null;
  readonly value: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Place in the partition or the file. */
  readonly offset: number;
  /** The record's own time in milliseconds since 1970. */
  readonly timestamp: number | null;
  /** When the snapshot was taken that the record is a line of, in milliseconds since 1970. */
  readonly snapshotTimeMs?: number;
}

/** A record with what it was decoded to. */
export interface DecodedRecord {
  readonly record: IncomingRecord;
  readonly decoded: Decoded;
}

export interface DecodeContext {
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  /** A source's epoch: raised when its log positions start anew. */
  epoch(source: Source): number;
}

const HEARTBEAT = '__debezium-heartbeat.';

/** Debezium's topics beside the tables', by what follows the prefix. */
const ASIDE: ReadonlyMap<string, Ignored> = new Map([
  ['transaction', { kind: 'ignored', why: 'the bounds of a transaction, no row' }],
  ['message', { kind: 'ignored', why: 'a message written to the log, no row' }],
]);

/** Decodes a record of any topic. Whatever it holds, this does not throw: what is at fault is refused. */
export function decodeRecord(record: IncomingRecord, context: DecodeContext): Decoded {
  const table = tableOf(record.topic, context.prefix);
  const source = sourceByTable.get(table);
  if (source !== undefined) return decodeSourceRecord(source, record, context);
  if (record.topic.startsWith(HEARTBEAT)) return decodeHeartbeat(record, context);
  return ASIDE.get(table) ?? unknownTable(table);
}

/** The table of a topic; empty where the topic is of another prefix. */
function tableOf(topic: string, prefix: string): string {
  return topic[prefix.length] === '.' && topic.startsWith(prefix) ? topic.slice(prefix.length + 1) : '';
}

/**
 * Decodes a line of a snapshot file, the value of a record without a key: a row, or an envelope.
 *
 * @param timeMs when the snapshot was taken, in milliseconds since 1970
 */
export function decodeSnapshotLine(
  source: Source,
  record: IncomingRecord,
  context: DecodeContext,
  timeMs: number,
): Decoded {
  const line = read(source, 'value', record.value);
  const epoch = context.epoch(source);
  const version = snapshotVersion(epoch, timeMs);
  if (line === null) return refusedFor(source, null, 'value', 'not_a_row', version);
  const { payload, decoder } = line;
  if (isEnvelope(payload)) return decodeMessage(messageOf(source, record, line, epoch));
  return decodePlainRow(payload, decoder, { version, sourceTimeMs: timeMs });
}

/** Decodes a parsed row that comes without an envelope. */
export const decodeRow = (
  source: Source,
  row: unknown,
  stamp: Pick<Upsert, 'version' | 'sourceTimeMs'>,
): Decoded => decodePlainRow(row, decoderOf(source), stamp);

function decodeSourceRecord(source: Source, record: IncomingRecord, context: DecodeContext): Decoded {
  const value = record.value === null ? null : (read(source, 'value', record.value) ?? unreadable(source));
  return decodeMessage(messageOf(source, record, value, context.epoch(source)));
}

/** A value that cannot be read is no tombstone: it goes on as an envelope that is none. */
const unreadable = (source: Source): Unwrapped => ({ payload: undefined, decoder: decoderOf(source) });

const messageOf = (
  source: Source,
  record: IncomingRecord,
  value: Unwrapped | null,
  epoch: number,
): Message => ({
  source,
  value,
  readKey: () => read(source, 'key', record.key),
  offset: record.offset,
  timestamp: record.timestamp,
  epoch,
});

/** Parses a part of a record; null where there is none, or it is not JSON in UTF-8. */
function read(source: Source, part: Part, content: string | Buffer | null): Unwrapped | null {
  const text = textOf(content);
  if (text === null) return null;
  try {
    return unwrapText(source, part, text);
  } catch {
    return null;
  }
}

function textOf(content: string | Buffer | null): string | null {
  if (content === null || typeof content === 'string') return content;
  return isUtf8(content) ? content.toString() : null;
}

/** A connector's heartbeat says that all the tables it watches are alive. */
function decodeHeartbeat(record: IncomingRecord, context: DecodeContext): Decoded {
  const prefix = record.topic.slice(HEARTBEAT.length);
  if (prefix !== context.prefix) return { kind: 'ignored', why: `a heartbeat of ${prefix}` };
  const time = heartbeatTime(textOf(record.value)) ?? timeMs(record.timestamp);
  if (time === null) return { kind: 'ignored', why: 'a heartbeat without a time' };
  return { kind: 'heartbeat', prefix, sources, timeMs: time };
}

function heartbeatTime(text: string | null): number | null {
  if (text === null) return null;
  try {
    const value = parseJson(text);
    const beat = isRecord(value) && isRecord(value.payload) ? value.payload : value;
    return isRecord(beat) ? timeMs(beat.ts_ms) : null;
  } catch {
    return null;
  }
}
