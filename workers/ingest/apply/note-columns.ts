import { isDeepStrictEqual } from 'node:util';
import type { ClientBase } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import {
  readSourceColumns,
  type SourceColumn,
} from '../../../projections/engine/freshness/source-columns.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import {
  type Decoded,
  type DecodedRecord,
  type IncomingRecord,
  type RejectedRecord,
  shapeOf,
  type Upsert,
} from '../decode/envelope.ts';
import type { RowShape } from '../decode/row-shape.ts';
import { positionOf } from '../decode/version.ts';
import type { KnownSchemas } from '../schemas/message-schema.ts';
import { type ColumnChange, type ColumnObservation, isSuspect, observeColumns } from './column-changes.ts';
import { notAhead } from './source-freshness.ts';

/** The changes of a source's columns that a batch brought. */
export interface NotedColumns {
  readonly source: Source;
  readonly changes: readonly ColumnChange[];
  /** All of them, after the changes. */
  readonly columns: readonly SourceColumn[];
}

/** A shape that equals the stored columns, as this process read them. */
interface KnownShape {
  readonly shape: RowShape;
  /** Columns whose change would explain a rejected record. */
  readonly suspects: ReadonlySet<string>;
  readonly readMs: number;
}

const knownShapes = new WeakMap<SourceRegistry, Map<number, KnownShape>>();
/** Another process may have read a record with other columns, and then the producer may have changed them back. */
const KNOWN_FOR_MS = 30_000;

interface ColumnRecords {
  readonly records: readonly DecodedRecord[];
  /** The registry's schemas of the records, if they have any. */
  readonly schemas: KnownSchemas | undefined;
}

interface Evidence extends ColumnObservation {
  readonly version: string;
}

/**
 * Compares the columns of the newest record of a partition, and so of one source, with the stored ones, and stores what
 * has changed. It costs no statement while nothing changes, and reads one record again.
 *
 * @returns null if no change is news
 */
export async function noteColumns(
  client: ClientBase,
  registry: SourceRegistry,
  { records, schemas }: ColumnRecords,
): Promise<NotedColumns | null> {
  const newest = newestEvidence(records, schemas);
  if (newest === null) return null;
  const { source, shape } = newest;
  const id = registry.idOf(source);
  const known = knownShapes.get(registry) ?? new Map<number, KnownShape>();
  knownShapes.set(registry, known);
  const latest = known.get(id);
  const isKnown = latest?.shape === shape && Date.now() - latest.readMs < KNOWN_FOR_MS;
  if (isKnown && newest.failedFields.isDisjointFrom(latest.suspects)) return null;
  if (!isStorable(shape)) return null;
  const position = positionOf(newest.version);
  if (!(await lockColumns(client, id, position))) return null;
  const stored = await readSourceColumns(client, id);
  // Names that never end are data. Those that were dropped are read each time too.
  if (stored.length + shape.size > 2 * MAX_COLUMNS) return null;
  const { columns, changes } = observeColumns(stored, newest);
  if (isEqual(stored, columns)) {
    const suspects = new Set(columns.filter(isSuspect).map(({ name }) => name));
    // Only now: what this transaction writes may be rolled back.
    known.set(id, { shape, suspects, readMs: Date.now() });
    return null;
  }
  known.delete(id);
  // Nothing has checked whether the position of a rejected record is plausible.
  await storeColumns(client, id, { position: newest.failedFields.size === 0 ? position : null, columns });
  await storeChanges(client, id, { changes, timeMs: newest.timeMs });
  return changes.length === 0 ? null : { source, changes, columns };
}

/** More columns than a table of any of the databases can have. */
const MAX_COLUMNS = 4_096;

/** Whether the columns may be those of a table, and the database can store their names and types. */
const isStorable = (shape: RowShape): boolean =>
  shape.size <= MAX_COLUMNS &&
  shape.entries().every(([name, { type }]) => isStorableText(name) && isStorableText(type ?? ''));

const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** What the newest record with a row shows; older ones may have had other columns. */
function newestEvidence(
  records: readonly DecodedRecord[],
  schemas: KnownSchemas | undefined,
): Evidence | null {
  const newest = records.findLast(({ decoded }) => hasRow(decoded));
  if (newest === undefined) return null;
  const { record, decoded } = newest;
  if (!hasRow(decoded)) return null;
  const { source, version } = decoded;
  const shape = shapeOf(source, record, { schemas });
  if (shape === null) return null;
  const isRejected = decoded.kind === 'rejected';
  const timeMs = isRejected ? writtenMs(record) : decoded.sourceTimeMs;
  return {
    source,
    shape,
    version,
    timeMs: notAhead(timeMs ?? Date.now()),
    failedFields: new Set(isRejected ? decoded.violations.map(({ field }) => field) : []),
  };
}

/** Null for a time that no clock shows. */
const writtenMs = ({ timestamp }: IncomingRecord): number | null =>
  timestamp !== null && timestamp > 0 ? timestamp : null;

type RowRecord = Upsert | (RejectedRecord & { readonly source: Source; readonly version: string });

/** Whether a record may have a row, and has a position. */
const hasRow = (decoded: Decoded): decoded is RowRecord =>
  decoded.kind === 'upsert' ||
  (decoded.kind === 'rejected' && decoded.source !== null && decoded.version !== null);

/** Locks the columns of a source. @returns false if they were stored from a newer record */
async function lockColumns(client: ClientBase, id: number, position: string): Promise<boolean> {
  const { rows } = await client.query<{ stored: string | null }>(
    'select columns_position as stored from ingest.source where id = $1 for no key update',
    [id],
  );
  const stored = rows[0]?.stored ?? null;
  return stored === null || position >= stored;
}

/** The order of dropped columns means nothing. */
function isEqual(stored: readonly SourceColumn[], observed: readonly SourceColumn[]): boolean {
  const byName = (columns: readonly SourceColumn[]) =>
    Object.fromEntries(columns.map((column) => [column.name, column]));
  return isDeepStrictEqual(byName(stored), byName(observed));
}

async function storeColumns(
  client: ClientBase,
  id: number,
  { position, columns }: { readonly position: string | null; readonly columns: readonly SourceColumn[] },
): Promise<void> {
  await client.query(
    `insert into ingest.source_column as stored (source, name, ordinal, type, type_before, is_readable, renamed_to,
       first_seen_at, dropped_at, failed_at, cleared_at, acknowledged_at)
     select $1, name, ordinal, type, "typeBefore", "isReadable", "renamedTo", to_timestamp("firstSeenMs" / 1000),
       to_timestamp("droppedMs" / 1000), to_timestamp("failedMs" / 1000), to_timestamp("clearedMs" / 1000),
       to_timestamp("acknowledgedMs" / 1000)
     from json_to_recordset($2) column_of (name text, ordinal int2, type text, "typeBefore" text, "isReadable" bool,
       "renamedTo" text, "firstSeenMs" float8, "droppedMs" float8, "failedMs" float8, "clearedMs" float8,
       "acknowledgedMs" float8)
     on conflict (source, name) do update set ordinal = excluded.ordinal, type = excluded.type,
       type_before = excluded.type_before, is_readable = excluded.is_readable, renamed_to = excluded.renamed_to,
       first_seen_at = excluded.first_seen_at, dropped_at = excluded.dropped_at, failed_at = excluded.failed_at,
       cleared_at = excluded.cleared_at, acknowledged_at = excluded.acknowledged_at`,
    [id, JSON.stringify(columns)],
  );
  await client.query(
    'update ingest.source set columns_position = coalesce($2, columns_position) where id = $1',
    [id, position],
  );
}

async function storeChanges(
  client: ClientBase,
  id: number,
  { changes, timeMs }: { readonly changes: readonly ColumnChange[]; readonly timeMs: number },
): Promise<void> {
  if (changes.length === 0) return;
  await client.query(
    `insert into ingest.column_change (source, name, kind, before, after, changed_at)
     select $1, name, kind, before, after, $3
     from json_to_recordset($2) change (name text, kind text, before text, after text)`,
    [id, JSON.stringify(changes), new Date(timeMs)],
  );
}
