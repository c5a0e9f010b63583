import type { Ignored, SnapshotNotice } from './decoded.ts';
import { isRecord, serverName } from './message.ts';

type Value = Readonly<Record<string, unknown>>;

/** A kind of topic that the connector writes for itself, without rows of a table. */
interface RowlessKind {
  /** Its usual names after the prefix. Only with Debezium's own name do they look like `schema.table`. */
  readonly name: RegExp;
  /** Whether a record's value is of this kind, whatever its topic is called. */
  readonly isValue: (value: Value) => boolean;
  readonly ignored: Ignored;
  /** What such a value says beside that. */
  readonly read?: (value: Value) => SnapshotNotice | null;
}

const ignored = (why: string): Ignored => ({ kind: 'ignored', why });

const SIGNALS: ReadonlySet<unknown> = new Set([
  'execute-snapshot',
  'pause-snapshot',
  'resume-snapshot',
  'stop-snapshot',
  'snapshot-window-open',
  'snapshot-window-close',
  'schema-changes',
  'set-binlog-position',
]);
const SIGNAL_COLUMNS: ReadonlySet<string> = new Set(['id', 'type', 'data']);

/** A type that tables of events may have too. */
const isLogSignal = ({ type, data }: Value): boolean =>
  type === 'log' && typeof data === 'string' && data.includes('"message"');

/** A signal is sent as a row of a table or as a record of its own. */
function isSignal(value: Value): boolean {
  const signal = [value.after, value.before, value].find(isRecord);
  return (
    signal !== undefined &&
    (SIGNALS.has(signal.type) || isLogSignal(signal)) &&
    Object.keys(signal).every((name) => SIGNAL_COLUMNS.has(name))
  );
}

const isSafeCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;

/**
 * Reads a notification of a connector's snapshot. An incremental one is no such snapshot: its rows come in chunks, each
 * of another moment.
 */
function snapshotNotice({ aggregate_type, type, additional_data: data }: Value): SnapshotNotice | null {
  const connector = isRecord(data) ? serverName(data.connector_name) : undefined;
  if (!isRecord(data) || connector === undefined || aggregate_type !== 'Initial Snapshot') return null;
  if (type === 'STARTED') return { connector, scanned: null };
  const { scanned_collection: table, total_rows_scanned: rows, status } = data;
  const isCount = typeof rows === 'number' || (typeof rows === 'string' && /^\d{1,15}$/.test(rows));
  const isWhole = type === 'TABLE_SCAN_COMPLETED' && (status === 'SUCCEEDED' || status === 'EMPTY');
  if (!isWhole || typeof table !== 'string' || !isCount) return null;
  const count = Number(rows);
  return isSafeCount(count) ? { connector, scanned: { table, rows: count } } : null;
}

const KINDS: readonly RowlessKind[] = [
  {
    name: /^transactions?$/,
    isValue: ({ status, id }) => (status === 'BEGIN' || status === 'END') && typeof id === 'string',
    ignored: ignored('the bounds of a transaction, no row'),
  },
  {
    name: /^message$/,
    isValue: ({ op, message }) => op === 'm' && isRecord(message),
    ignored: ignored('a message written to the log, no row'),
  },
  {
    name: /^(?:[^.]+\.)?(?:debezium|dbz)[_-]signals?$|^signals?$/,
    isValue: isSignal,
    ignored: ignored('a signal to the connector, no row of a source'),
  },
  {
    name: /^(?:debezium[_-])?notifications?$/,
    isValue: (value) => isRecord(value.additional_data) && typeof value.aggregate_type === 'string',
    ignored: ignored('a notification of the connector, no row'),
    read: snapshotNotice,
  },
  {
    name: /^(?:schema[_-]?history|schema[_-]?changes|db[_-]?history)(?:\..*)?$/,
    isValue: (value) => Array.isArray(value.tableChanges) || (isRecord(value.position) && 'ddl' in value),
    ignored: ignored('a change of the schema, no row'),
  },
  {
    name: /^[^.]+\.(?:debezium|dbz)[_-]heartbeats?$/,
    isValue: () => false,
    ignored: ignored("a row of the connector's heartbeat table"),
  },
];

/**
 * Recognizes a record of a topic that no source has, by the topic's name or by the record's value, as one that the
 * connector writes for itself; null for any other.
 *
 * @param name the topic's name after the prefix
 * @param readValue reads its value; null for a tombstone and for what is unreadable
 */
export function recognizeRowless(name: string, readValue: () => Value | null): Ignored | null {
  const named = KINDS.find((kind) => kind.name.test(name));
  if (named !== undefined && named.read === undefined) return named.ignored;
  const value = readValue();
  const kind = named ?? (value === null ? undefined : KINDS.find(({ isValue }) => isValue(value)));
  const notice = (value !== null && kind?.read?.(value)) || null;
  return kind === undefined ? null : notice === null ? kind.ignored : { ...kind.ignored, notice };
}
