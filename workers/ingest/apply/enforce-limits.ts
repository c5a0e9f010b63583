import type { ClientBase } from 'pg';
import { int2Array } from '../../../db/arrays.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { type Decoded, rejected, type Upsert } from '../decode/decoded.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { jsonText, parseJson } from '../decode/json.ts';
import type { Reason } from '../decode/reason.ts';
import { newestPosition, type PositionForm } from '../decode/version.ts';
import type { RecordLimits } from '../record-limits.ts';

/** No PostgreSQL has written its log for longer. */
const MAX_LOG_AGE_MS = 30 * 365 * 86_400_000;
const FIRST_POSITION = '0'.repeat(16);
/** MySQL begins a file of its log by size and at each start: by far fewer than one a second, … */
const FILES_PER_SECOND = 1;
/** … and so many more, for producers whose clocks are inexact. */
const FILE_LEAP = 10_000;
const FILE_DIGITS = 8;

interface NewestPosition {
  /** After the epoch, like a version. */
  readonly position: string;
  readonly form: PositionForm;
  readonly timeMs: number;
}

/** By source id: the newest positions of a batch that are newer than all before. */
export type NewestPositions = ReadonlyMap<number, NewestPosition>;

export interface CheckedRecords<T extends DecodedRecord> {
  /** Those beyond a limit are rejected. */
  readonly records: readonly T[];
  readonly newest: NewestPositions;
}

interface CheckOptions {
  readonly limits: RecordLimits;
  /** An operator accepts what is implausible. */
  readonly acceptsAll?: boolean | undefined;
}

/**
 * Rejects rows with too much outside their contract, and records whose version would hide all later changes: of a log position far ahead of the source's newest one, of
 * another form of position than the source's, or of a time in the future. Rows of snapshot files have no log position.
 */
export async function enforceLimits<T extends DecodedRecord>(
  client: ClientBase,
  registry: SourceRegistry,
  records: readonly T[],
  { limits, acceptsAll = false }: CheckOptions,
): Promise<CheckedRecords<T>> {
  const latestMs = Date.now() + limits.clockSkewMs;
  const logs = await readLogs(client, registry, records);
  const checked = records.map((one): T => {
    const { decoded } = one;
    if (!('version' in decoded) || decoded.kind === 'rejected') return one;
    const { source } = decoded;
    const position = positionOf(decoded);
    const log = position === null ? undefined : logs.get(source);
    const timeMs = decoded.kind === 'tombstone' ? (decoded.timestamp ?? 0) : decoded.sourceTimeMs;
    const extra = decoded.kind === 'upsert' ? largestExtra(decoded, limits) : null;
    if (extra !== null)
      return {
        ...one,
        decoded: rejected(source, [{ field: extra, reason: 'extras_too_large' }], decoded as Upsert),
      };
    const reason: Reason | null =
      timeMs > latestMs ? 'future_time' : position === null ? null : (log?.reject(position, limits) ?? null);
    if (reason === null || acceptsAll) {
      if (position !== null) log?.accept(position);
      return one;
    }
    // Its version means nothing, so the next change of the key in the partition supersedes it.
    const key = decoded.kind === 'truncate' ? null : decoded.key;
    return { ...one, decoded: rejected(source, [{ field: 'source', reason }], { key }) };
  });
  const newest = new Map<number, NewestPosition>();
  for (const [source, log] of logs) {
    const moved = log.moved();
    if (moved !== null) newest.set(registry.idOf(source), moved);
  }
  return { records: checked, newest };
}

/** The largest column outside the contract, if all of them together are larger than the limit; else null. */
export function largestExtra({ source, row }: Upsert, { extraBytes }: RecordLimits): string | null {
  // Nearly every row is smaller as a whole.
  if (row.length * 3 <= extraBytes || Buffer.byteLength(row) <= extraBytes) return null;
  const sizes = Object.entries(parseJson(row) as Readonly<Record<string, unknown>>)
    .filter(([name]) => !Object.hasOwn(source.columns, name))
    .map(([name, value]) => ({ name, bytes: Buffer.byteLength(jsonText({ [name]: value }) ?? '') }));
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= extraBytes) return null;
  return sizes.reduce((largest, one) => (one.bytes > largest.bytes ? one : largest)).name;
}

/** The log position of a change; null without one. */
function positionOf(decoded: Exclude<Decoded, { kind: 'rejected' }>): LogPosition | null {
  if (!('form' in decoded) || decoded.form === undefined) return null;
  const { form, version, sourceTimeMs } = decoded;
  return { form, timeMs: sourceTimeMs, ...newestPosition(version, form) };
}

interface LogPosition extends NewestPosition {
  readonly epoch: string;
}

/** The newest position of a source while the records of a batch are checked. */
interface SourceLog {
  reject(next: LogPosition, limits: RecordLimits): Reason | null;
  accept(next: LogPosition): void;
  /** The newest position, if the batch has moved it. */
  moved(): NewestPosition | null;
}

/** Whether a log cannot have grown so far within some seconds. */
function isLeap(
  form: 'log' | 'binlog',
  positions: readonly [string, string],
  seconds: number,
  { logLeapBytes, logBytesPerSecond }: RecordLimits,
): boolean {
  const digits = form === 'binlog' ? FILE_DIGITS : undefined;
  const [from, to] = positions.map((position) => Number.parseInt(position.slice(0, digits), 16));
  const leap = (to ?? 0) - (from ?? 0);
  return form === 'binlog'
    ? leap > FILE_LEAP + seconds * FILES_PER_SECOND
    : leap > logLeapBytes + seconds * logBytesPerSecond;
}

interface StoredPosition {
  readonly id: number;
  readonly position: string;
  readonly form: PositionForm;
  readonly time_ms: number;
}

async function readLogs(
  client: ClientBase,
  registry: SourceRegistry,
  records: readonly DecodedRecord[],
): Promise<ReadonlyMap<Source, SourceLog>> {
  const sources = new Set<Source>();
  for (const { decoded } of records) if ('form' in decoded && decoded.form) sources.add(decoded.source);
  if (sources.size === 0) return new Map();
  const { rows } = await client.query<StoredPosition>({
    name: 'newest-positions',
    // Of an earlier epoch, a position means nothing.
    text: `select distinct on (source) source as id, substr(newest_position, 9) as position, position_form as form,
             (extract(epoch from position_time) * 1000)::float8 as time_ms
           from ingest.record_count join ingest.source on source.id = record_count.source
           where record_count.source = any($1::int2[])
             and left(newest_position, 8) = lpad(to_hex(source.epoch), 8, '0')
           order by source, newest_position desc`,
    values: [int2Array([...sources].map(registry.idOf))],
  });
  const stored = new Map(rows.map((row) => [row.id, row]));
  return new Map([...sources].map((source) => [source, sourceLog(stored.get(registry.idOf(source)))]));
}

function sourceLog(stored: StoredPosition | undefined): SourceLog {
  const start = stored && { form: stored.form, position: stored.position, timeMs: stored.time_ms };
  let newest: NewestPosition | undefined = start;
  let epoch = '';
  return {
    reject({ form, position, timeMs }, limits) {
      const before = newest ?? { form, position: FIRST_POSITION, timeMs: timeMs - MAX_LOG_AGE_MS };
      if (form !== before.form) return 'other_position_form';
      // Positions in time are bounded by the clock.
      if (form === 'time' || form === 'oplog' || position <= before.position) return null;
      const seconds = Math.max(0, timeMs - before.timeMs) / 1_000;
      return isLeap(form, [before.position, position], seconds, limits) ? 'implausible_position' : null;
    },
    accept({ epoch: own, ...next }) {
      if (newest !== undefined && (next.form !== newest.form || next.position <= newest.position)) return;
      newest = next;
      epoch = own;
    },
    moved: () =>
      newest === undefined || newest === start ? null : { ...newest, position: epoch + newest.position },
  };
}
