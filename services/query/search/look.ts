import type { Pool } from 'pg';
import { changedSince } from '../../../projections/search/changes.ts';
import type { SearchDocument } from '../../../projections/search/document.ts';
import { searchDocuments } from '../../../projections/search/generation.ts';
import type { Change } from './delta.ts';

/** How the documents stand, as of one moment. */
export interface Look {
  /** The moment, in milliseconds since 1970, by our own clock. */
  readonly atMs: number;
  /** What the look shows, as text. */
  readonly snapshot: string;
  /** Changes of the version's documents that the earlier snapshot does not show; one may count twice. */
  readonly changes: number;
  /** The version that is served now, and since when, in milliseconds since 1970. */
  readonly live: { readonly version: number; readonly sinceMs: number } | null;
}

interface LookRow {
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

/** Looks how the documents of a version stand against an earlier snapshot of them. */
export async function look(pool: Pool, version: number, snapshot: string): Promise<Look> {
  const atMs = Date.now();
  const { rows } = await pool.query<LookRow>({
    name: 'search-look',
    text: LOOK,
    values: [version, snapshot],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the database answered nothing');
  return {
    atMs,
    snapshot: row.snapshot,
    changes: row.changes,
    live: row.version === null ? null : { version: row.version, sinceMs: row.promoted_at?.getTime() ?? atMs },
  };
}

const KEY = /^master:(\d+)$/;

/**
 * Reads the documents that changed since a snapshot, as they are now, each once.
 *
 * @throws the database's error where the documents of the version are gone
 */
export async function readChanges(pool: Pool, version: number, snapshot: string): Promise<Change[]> {
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
