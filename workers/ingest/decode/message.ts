import type { Source } from '../../../projections/sources/contract.ts';
import type { Unwrapped } from './connect-schema.ts';
import type { DecodedKey, Faulty } from './decode-row.ts';
import { type Decoded, type Refused, refused, refusedFor, type Upsert } from './decoded.ts';
import type { Violation } from './reason.ts';
import type { WireRow } from './row-columns.ts';
import type { RowDecoder } from './row-decoder.ts';
import { changeVersion, removalVersion } from './version.ts';

/** A record of a known source, taken out of its wrappers. */
export interface Message {
  readonly source: Source;
  /** Null for a record without a value. */
  readonly value: Unwrapped | null;
  /** Reads the record's key, which most records need not; null where it has none that can be read. */
  readonly readKey: () => Unwrapped | null;
  /** Place in the partition or the file. */
  readonly offset: number;
  /** The record's own time in milliseconds since 1970. */
  readonly timestamp: number | null;
  readonly epoch: number;
}

type Envelope = Readonly<Record<string, unknown>>;

/** Whether a value is meant as an envelope, and not as a bare row. */
export const isEnvelope = (value: unknown): value is Envelope =>
  isRecord(value) && (value.op !== undefined || value.after !== undefined || value.before !== undefined);

/** Decodes a Debezium envelope or a tombstone. */
export function decodeMessage(message: Message): Decoded {
  const { source, value } = message;
  if (value === null || value.payload === null) return decodeTombstone(message);
  const envelope = value.payload;
  if (!isEnvelope(envelope)) return refusedFor(source, keyText(message), 'value', 'not_an_envelope');
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
      return refusedFor(
        source,
        keyText(message),
        'op',
        envelope.op === undefined ? 'missing' : 'unknown_op',
        versionText(message, envelope),
      );
  }
}

/** Decodes a row that came without an envelope. */
export function decodePlainRow(
  row: unknown,
  decoder: RowDecoder,
  { version, sourceTimeMs }: Pick<Upsert, 'version' | 'sourceTimeMs'>,
): Upsert | Refused {
  const { source } = decoder;
  if (!isRecord(row)) return refusedFor(source, null, 'value', 'not_a_row', version);
  const decoded = decoder.decodeRow(row);
  if (decoded.violations !== null)
    return refused(source, rowKeyText(row, decoder), decoded.violations, version);
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
  };
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function decodeUpsert(message: Message, envelope: Envelope, decoder: RowDecoder): Upsert | Refused {
  const { source } = message;
  const { after } = envelope;
  if (!isRecord(after)) {
    const isAbsent = after === null || after === undefined;
    const version = versionText(message, envelope);
    return refusedFor(source, keyText(message), 'after', isAbsent ? 'missing' : 'not_a_row', version);
  }
  const stamp = stampOf(message, envelope, false);
  if (stamp !== null) {
    const decoded = decodePlainRow(after, decoder, stamp);
    if (decoded.kind === 'upsert') return decoded;
    return refused(source, keyText(message) ?? decoded.key, decoded.violations, stamp.version);
  }
  const decoded = decoder.decodeRow(after);
  const key = keyText(message) ?? rowKeyText(after, decoder);
  return refused(source, key, [...(decoded.violations ?? []), NO_STAMP]);
}

function decodeDelete(message: Message, envelope: Envelope, decoder: RowDecoder): Decoded {
  const { source } = message;
  const key = deletedKey(message, envelope.before, decoder);
  const stamp = stampOf(message, envelope, true);
  if (key.violations !== null) {
    const violations = stamp === null ? [...key.violations, NO_STAMP] : key.violations;
    return refused(source, null, violations, stamp?.version);
  }
  if (stamp === null) return refused(source, key.key, [NO_STAMP]);
  const { version, sourceTimeMs } = stamp;
  return {
    kind: 'delete',
    source,
    key: key.key,
    subject: key.subject,
    version,
    sourceTimeMs,
  };
}

function deletedKey(message: Message, before: unknown, decoder: RowDecoder): DecodedKey | Faulty {
  const key = decodeKey(message);
  if (key.violations === null || !isRecord(before)) return key;
  const fromBefore = decoder.decodeKey(before);
  return fromBefore.violations === null ? fromBefore : key;
}

function decodeTruncate(message: Message, envelope: Envelope): Decoded {
  const stamp = stampOf(message, envelope, false);
  return stamp === null
    ? refused(message.source, null, [NO_STAMP])
    : {
        kind: 'truncate',
        source: message.source,
        version: stamp.version,
        sourceTimeMs: stamp.sourceTimeMs,
      };
}

function decodeTombstone(message: Message): Decoded {
  const { source, epoch } = message;
  const key = decodeKey(message);
  if (key.violations !== null) return refused(source, null, key.violations);
  const timestamp = timeMs(message.timestamp);
  const version = removalVersion(epoch, timestamp ?? 0);
  return { kind: 'tombstone', source, key: key.key, timestamp, version };
}

const NO_KEY: Faulty = { violations: [{ field: 'key', reason: 'missing' }] };

function decodeKey(message: Message): DecodedKey | Faulty {
  const key = message.readKey();
  return key !== null && isRecord(key.payload) ? key.decoder.decodeKey(key.payload) : NO_KEY;
}

function keyText(message: Message): string | null {
  const key = decodeKey(message);
  return key.violations === null ? key.key : null;
}

function rowKeyText(row: WireRow, decoder: RowDecoder): string | null {
  const key = decoder.decodeKey(row);
  return key.violations === null ? key.key : null;
}

/** The envelope does not say when and where in the log the change was made. */
const NO_STAMP: Violation = { field: 'source', reason: 'not_an_envelope' };

function stampOf(
  { epoch, offset, timestamp }: Message,
  envelope: Envelope,
  isDelete: boolean,
): Pick<Upsert, 'version' | 'sourceTimeMs'> | null {
  const origin = envelope.source;
  if (!isRecord(origin)) return null;
  const sourceTimeMs = timeMs(origin.ts_ms) ?? timeMs(envelope.ts_ms) ?? timeMs(timestamp);
  if (sourceTimeMs === null) return null;
  const version = changeVersion(
    epoch,
    { sequence: origin.sequence, lsn: origin.lsn, sourceTimeMs, offset },
    isDelete,
  );
  return version === null ? null : { version, sourceTimeMs };
}

/** The version of what is no proper change, as far as its envelope tells. */
const versionText = (message: Message, envelope: Envelope): string | null =>
  stampOf(message, envelope, false)?.version ?? null;

/** A time in milliseconds since 1970, as Debezium and Kafka state it; null for anything else, and for their zero and -1. */
export const timeMs = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
