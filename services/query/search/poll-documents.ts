import type { Pool } from 'pg';
import { changedSince } from '../../../projections/models/search/changes.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { searchDocuments } from '../../../projections/models/search/generation.ts';
import type { DocumentChange } from './delta.ts';

/** The state of the documents at one time. */
export interface DocumentPoll {
  /** Time of the poll by the clock of this process, in milliseconds since 1970. */
  readonly atMs: number;
  /** The database snapshot of the poll, as text. */
  readonly snapshot: string;
  /** Number of changes since the earlier snapshot; a change may count twice. */
  readonly changes: number;
  /** The live version and the time of its promotion, in milliseconds since 1970. */
  readonly live: { readonly version: number; readonly sinceMs: number } | null;
}

interface PollRow {
  readonly snapshot: string;
  readonly changes: number;
  readonly version: number | null;
  readonly promoted_at: Date | null;
}

const LOOK = `
  select pg_current_snapshot()::text as snapshot,
    (select coalesce(sum(size), 0) from search.change where ${changedSince('$1', '$2::pg_snapshot')})::float8 as changes,
    live.id as version, live.promoted_at
  from (select) always
    left join projection.version live on live.projection = 'search' and live.state = 'live'`;

/** Compares the documents of a version with an earlier snapshot. */
export async function pollDocuments(pool: Pool, version: number, snapshot: string): Promise<DocumentPoll> {
  const atMs = Date.now();
  const { rows } = await pool.query<PollRow>({
    name: 'search-poll',
    text: LOOK,
    values: [version, snapshot],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the poll returned no row');
  return {
    atMs,
    snapshot: row.snapshot,
    changes: row.changes,
    live: row.version === null ? null : { version: row.version, sinceMs: row.promoted_at?.getTime() ?? atMs },
  };
}

const KEY = /^master:(\d+)$/;

/**
 * Reads the current state of each document that changed since a snapshot.
 *
 * @throws the error of the database if the version was dropped
 */
export async function readChanges(pool: Pool, version: number, snapshot: string): Promise<DocumentChange[]> {
  const { rows } = await pool.query<{ key: string; body: string | null }>({
    name: `search-changes-${version}`,
    text: `select changed.key, convert_from(document.body, 'UTF8') as body
           from (select distinct key from search.change cross join unnest(change.keys) key
                 where ${changedSince('$1', '$2::pg_snapshot')}) changed
             left join ${searchDocuments(version)} document on document.id = projection.document_id(changed.key)`,
    values: [version, snapshot],
  });
  return rows.flatMap(({ key, body }) => {
    const id = KEY.exec(key)?.[1];
    if (id === undefined) return [];
    const document: SearchDocument | null = body === null ? null : JSON.parse(body);
    return [{ id: Number(id), document }];
  });
}
