import type { ClientBase, Pool } from 'pg';
import { columnShape } from '../../contracts/columns.ts';
import type { Source } from '../../contracts/contract.ts';
import { sourceByTable } from '../../contracts/index.ts';
import type { FreshnessState } from './thresholds.ts';

/** A column of a source's table, as its newest records have it. Times are milliseconds since 1970. */
export interface SourceColumn {
  readonly name: string;
  /** Its place among the columns that were sent with it. */
  readonly ordinal: number;
  /** Null while only nulls were sent. */
  readonly type: string | null;
  readonly typeBefore: string | null;
  /** Whether the contract's decoder reads values of the type. */
  readonly isReadable: boolean;
  readonly firstSeenMs: number;
  /** When the first record without it was written; null while it is sent. */
  readonly droppedMs: number | null;
  /** The column that may have its values under another name. */
  readonly renamedTo: string | null;
  /** When the first record was rejected because of its change. */
  readonly failedMs: number | null;
  /** When an operator removed its last values from the rows. */
  readonly clearedMs: number | null;
  readonly acknowledgedMs: number | null;
}

/**
 * What a change of a column does to the rows: `failing`: they are rejected; `unreadable`: they are rejected once they
 * have a value; `may_be_null`: once they have none, `stale`: they keep the last values of a dropped column.
 */
export const COLUMN_PROBLEMS = ['failing', 'unreadable', 'may_be_null', 'stale'] as const;
export type ColumnProblem = (typeof COLUMN_PROBLEMS)[number];

export const STATE_OF_PROBLEM: Readonly<Record<ColumnProblem, FreshnessState>> = {
  failing: 'error',
  unreadable: 'warn',
  may_be_null: 'warn',
  stale: 'warn',
};

/** Only columns of the contract have problems: the others are read by nothing. */
export function problemOf(source: Source, column: SourceColumn): ColumnProblem | null {
  const schema = source.columns[column.name];
  if (schema === undefined || column.acknowledgedMs !== null) return null;
  const { isNullable } = columnShape(schema);
  if (column.droppedMs !== null) {
    if (!isNullable) return 'failing';
    return column.clearedMs === null ? 'stale' : null;
  }
  if (column.failedMs !== null) return 'failing';
  if (!column.isReadable) return 'unreadable';
  const hasBecomeNullable =
    isNullType(column.type) && column.typeBefore !== null && !isNullType(column.typeBefore);
  return hasBecomeNullable && !isNullable ? 'may_be_null' : null;
}

const isNullType = (type: string | null): boolean => type?.endsWith(' or null') === true;

const COLUMNS = `
  select column_of.name, ordinal, type, type_before as "typeBefore", is_readable as "isReadable",
    renamed_to as "renamedTo", extract(epoch from first_seen_at)::float8 * 1000 as "firstSeenMs",
    extract(epoch from dropped_at)::float8 * 1000 as "droppedMs",
    extract(epoch from failed_at)::float8 * 1000 as "failedMs",
    extract(epoch from cleared_at)::float8 * 1000 as "clearedMs",
    extract(epoch from acknowledged_at)::float8 * 1000 as "acknowledgedMs"`;

/** Reads the columns of a source, in their order, the dropped ones where they stood. */
export async function readSourceColumns(db: Pool | ClientBase, sourceId: number): Promise<SourceColumn[]> {
  const { rows } = await db.query<SourceColumn>(
    `${COLUMNS} from ingest.source_column column_of where source = $1 order by ordinal, name`,
    [sourceId],
  );
  return rows;
}

/** A column whose change harms the rows of its source. */
export interface TroubledColumn {
  readonly source: Source;
  readonly column: SourceColumn;
  readonly problem: ColumnProblem;
}

/** Reads the columns of all sources whose change harms rows. Most sources have none, and an index is not worth its writes. */
export async function readTroubledColumns(db: Pool | ClientBase): Promise<TroubledColumn[]> {
  const { rows } = await db.query<SourceColumn & { table: string }>({
    name: 'troubled-columns',
    text: `${COLUMNS}, source.name as table
           from ingest.source_column column_of join ingest.source on source.id = column_of.source
           where (dropped_at is not null or not is_readable or type_before is not null) and acknowledged_at is null
           order by source.name, ordinal`,
  });
  return rows.flatMap(({ table, ...column }) => {
    const source = sourceByTable.get(table);
    const problem = source === undefined ? null : problemOf(source, column);
    return source === undefined || problem === null ? [] : [{ source, column, problem }];
  });
}
