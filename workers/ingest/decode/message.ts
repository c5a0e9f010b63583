import type { Source } from '../../../projections/contracts/contract.ts';
import type { PartitionId } from '../apply/position.ts';
import type { WireRow } from './column-decoder.ts';
import type { Unwrapped } from './connect-schema.ts';
import { connectorPosition, isSupported } from './connector-position.ts';
import type { DecodedKey, InvalidRow } from './decode-row.ts';
import { type Decoded, type RejectedRecord, rejected, type Upsert } from './decoded.ts';
import { documentKey, documentRow } from './mongodb-document.ts';
import type { Reason, Violation } from './reason.ts';
import { decoderOf, type RowDecoder } from './row-decoder.ts';
import { changeVersion, positionForm, removalVersion } from './version.ts';

/** A record of a known source without its wrappers. */
export interface Message {
  readonly source: Source;
  /** Null for a record without a value. */
  readonly value: Unwrapped | null;
  /** Reads the record's key, which few records need; null if there is none or it is unreadable. */
  readonly readKey: () => Unwrapped | null;
  /** Reads a header that holds a key; null if there is none or it is unreadable. */
  readonly readKeyHeader: (name: string) => Unwrapped | null;
  /** Offset in the partition or the file. */
  readonly offset: number;
  /** The record's own time in milliseconds since 1970. */
  readonly timestamp: number | null;
  /** Missing if it was not read from a partition. */
  readonly readFrom?: PartitionId | undefined;
  readonly epoch: number;
}

type Envelope = Readonly<Record<string, unknown>>;

/** Whether a value is an envelope rather than a plain row. */
export const isEnvelope = (value: unknown): value is Envelope =>
  isRecord(value) && (value.op !== undefined || value.after !== undefined || value.before !== undefined);

/** Decodes a Debezium envelope or a tombstone. */
export function decodeMessage(message: Message): Decoded {
  const { source, value } = message;
  if (value === null || value.payload === null) return decodeTombstone(message);
  const envelope = value.payload;
  if (!isEnvelope(envelope))
    return rejected(source, [{ field: 'value', reason: value.unreadable ?? 'not_an_envelope' }], {
      key: keyText(message),
    });
  switch (envelope.op) {
    case 'c':
    case 'u':
    case 'r':
      return decodeUpsert(message, envelope, value.decoder);
    case 'd':
      return decodeDelete(message, envelope, value.decoder);
    case 't':
      return decodeTruncate(message, envelope);
    case 'm':
      return { kind: 'ignored', why: 'a message written to the log, no row' };
    default:
      return rejected(
        source,
        [{ field: 'op', reason: envelope.op === undefined ? 'missing' : 'unknown_op' }],
        {
          key: keyText(message),
          version: versionText(message, envelope),
        },
      );
  }
}

/** Decodes a row without an envelope. */
export function decodePlainRow(
  row: unknown,
  decoder: RowDecoder,
  { version, sourceTimeMs, form, connector, origin }: Stamp,
): Upsert | RejectedRecord {
  const { source } = decoder;
  if (!isRecord(row)) return rejected(source, [{ field: 'value', reason: 'not_a_row' }], { version });
  const decoded = decoder.decodeRow(row);
  if (decoded.violations !== null)
    return rejected(source, decoded.violations, { key: rowKeyText(row, decoder), version });
  const { key, subject, links, orderKey, unavailable } = decoded;
  return {
    kind: 'upsert',
    source,
    key,
    subject,
    links,
    orderKey,
    row: decoded.row,
    unavailable,
    version,
    sourceTimeMs,
    form,
    connector,
    origin,
  };
}

/** The version and time of a change. */
export type Stamp = Pick<Upsert, 'version' | 'sourceTimeMs' | 'form' | 'connector' | 'origin'>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function decodeUpsert(message: Message, envelope: Envelope, decoder: RowDecoder): Upsert | RejectedRecord {
  const { source } = message;
  const after = rowAfter(envelope, decoder);
  if (typeof after === 'string')
    return rejected(source, [{ field: 'after', reason: after }], {
      key: keyText(message),
      version: versionText(message, envelope),
    });
  const stamp = stampOf(message, envelope, false);
  if (stamp !== null) {
    const decoded = decodePlainRow(after, decoder, stamp);
    if (decoded.kind === 'upsert')
      return decoded.unavailable.length === 0 ? decoded : { ...decoded, oldKey: headerKey(message, OLD_KEY) };
    return rejected(source, decoded.violations, {
      key: keyText(message) ?? decoded.key,
      version: stamp.version,
    });
  }
  const decoded = decoder.decodeRow(after);
  const key = keyText(message) ?? rowKeyText(after, decoder);
  return rejected(source, [...(decoded.violations ?? []), stampFault(envelope)], { key });
}

/** The row after a change, or why there is none. */
function rowAfter({ after, source: origin }: Envelope, decoder: RowDecoder): WireRow | Reason {
  if (isRecord(after)) return after;
  const isDocument = isRecord(origin) && origin.connector === 'mongodb';
  if (after === null || after === undefined) return isDocument ? 'no_document' : 'missing';
  return isDocument && typeof after === 'string' ? documentRow(decoder, after) : 'not_a_row';
}

function decodeDelete(message: Message, envelope: Envelope, decoder: RowDecoder): Decoded {
  const { source } = message;
  const key = deletedKey(message, envelope.before, decoder);
  const stamp = stampOf(message, envelope, true);
  if (key.violations !== null) {
    const violations = stamp === null ? [...key.violations, stampFault(envelope)] : key.violations;
    return rejected(source, violations, { version: stamp?.version ?? null });
  }
  if (stamp === null) return rejected(source, [stampFault(envelope)], { key: key.key });
  const newKey = headerKey(message, NEW_KEY);
  return { kind: 'delete', source, key: key.key, newKey, subject: key.subject, ...stamp };
}

function deletedKey(message: Message, before: unknown, decoder: RowDecoder): DecodedKey | InvalidRow {
  const key = decodeKey(message);
  if (key.violations === null || !isRecord(before)) return key;
  const fromBefore = decoder.decodeKey(before);
  return fromBefore.violations === null ? fromBefore : key;
}

function decodeTruncate(message: Message, envelope: Envelope): Decoded {
  const stamp = stampOf(message, envelope, false);
  return stamp === null
    ? rejected(message.source, [stampFault(envelope)])
    : { kind: 'truncate', source: message.source, ...stamp };
}

function decodeTombstone(message: Message): Decoded {
  const { source, epoch, offset, readFrom } = message;
  const key = decodeKey(message);
  if (key.violations !== null) return rejected(source, key.violations);
  const timestamp = timeMs(message.timestamp);
  const version = removalVersion(epoch, timestamp ?? 0, readFrom && { partition: readFrom, offset });
  return { kind: 'tombstone', source, key: key.key, timestamp, version };
}

const NO_KEY: InvalidRow = { violations: [{ field: 'key', reason: 'missing' }] };

function decodeKey(message: Message): DecodedKey | InvalidRow {
  const key = message.readKey();
  if (key?.unreadable !== undefined) return { violations: [{ field: 'key', reason: key.unreadable }] };
  if (key === null || !isRecord(key.payload)) return NO_KEY;
  return key.decoder.decodeKey(documentKey(message.source, key.payload) ?? key.payload);
}

/** Headers of the two records of an update that changes a key. */
const [OLD_KEY, NEW_KEY] = ['__debezium.oldkey', '__debezium.newkey'];

function headerKey(message: Message, name: string): string | undefined {
  const header = message.readKeyHeader(name);
  if (header === null || !isRecord(header.payload)) return;
  // Connect writes headers without a schema, unless it is told otherwise.
  const isPlain = header.decoder === decoderOf(message.source);
  const { decodeKey } = (isPlain ? message.readKey() : null)?.decoder ?? header.decoder;
  const key = decodeKey(header.payload);
  return key.violations === null ? key.key : undefined;
}

function keyText(message: Message): string | null {
  const key = decodeKey(message);
  return key.violations === null ? key.key : null;
}

function rowKeyText(row: WireRow, decoder: RowDecoder): string | null {
  const key = decoder.decodeKey(row);
  return key.violations === null ? key.key : null;
}

/** The envelope lacks the time or the log position of the change, or its connector states an unknown one. */
const stampFault = ({ source: origin }: Envelope): Violation => ({
  field: 'source',
  reason: isRecord(origin) && !isSupported(origin.connector) ? 'unsupported_connector' : 'not_an_envelope',
});

function stampOf(message: Message, envelope: Envelope, isDelete: boolean): Stamp | null {
  const { epoch, offset, timestamp, readFrom } = message;
  const origin = envelope.source;
  if (!isRecord(origin) || !isSupported(origin.connector)) return null;
  const sourceTimeMs = timeMs(origin.ts_ms) ?? timeMs(envelope.ts_ms) ?? timeMs(timestamp);
  if (sourceTimeMs === null) return null;
  const isRead = envelope.op === 'r';
  const other = connectorPosition(origin, { isRead, sourceTimeMs });
  const delivery = readFrom && {
    partition: readFrom,
    timeMs: timeMs(timestamp),
    hasOwnPosition: !isRead && other?.form !== 'oplog',
  };
  const position = { sequence: origin.sequence, lsn: origin.lsn, other, sourceTimeMs, offset, delivery };
  const version = changeVersion(epoch, position, isDelete);
  if (version === null) return null;
  return { version, sourceTimeMs, form: positionForm(position), connector: serverName(origin.name), origin };
}

const SERVER_NAME = /^[A-Za-z0-9._-]{1,249}$/;

/** The server name of a connector, which is a part of its topics' names; undefined for anything else. */
export const serverName = (name: unknown): string | undefined =>
  typeof name === 'string' && SERVER_NAME.test(name) ? name : undefined;

/** The version of an invalid change, if its envelope has one. */
const versionText = (message: Message, envelope: Envelope): string | null =>
  stampOf(message, envelope, false)?.version ?? null;

/** A time in milliseconds since 1970 from Debezium or Kafka; null for anything else, and for their zero and -1. */
export const timeMs = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
