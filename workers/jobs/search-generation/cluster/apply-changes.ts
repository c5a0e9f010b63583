import type { ClientBase } from 'pg';
import { textArray } from '../../../../db/arrays.ts';
import { changedSince } from '../../../../projections/models/search/changes.ts';
import { searchDocuments } from '../../../../projections/models/search/generation.ts';
import {
  CLUSTER_FORMAT,
  type SearchCluster,
} from '../../../../projections/models/search/opensearch/cluster.ts';
import { refresh, sendDocuments, type VersionedDocument } from './send-documents.ts';

interface Applied {
  readonly id: number;
  readonly version: number;
  readonly snapshot: string;
}

interface ChangedKey {
  readonly key: string;
  /** The latest change. Changes of one document have the order of their ids, because each holds the row's lock. */
  readonly change: string;
}

/** Documents of one read. */
const READ_SIZE = 500;
const KEY = /^master:(\d+)$/;

/**
 * Writes the changes since the last call into the newest published generation, and waits until searches see them. Safe to
 * run twice at a time or to break off: each document carries the number of its change, and an older one never wins.
 *
 * @returns the number of changed documents; null without a generation
 */
export async function applyChanges(db: ClientBase, cluster: SearchCluster): Promise<number | null> {
  const last = await lastApplied(db);
  if (last === null) return null;
  // Taken first: what it shows, the later reads show too.
  const { rows: now } = await db.query<{ snapshot: string; at: Date }>(
    'select pg_current_snapshot()::text as snapshot, clock_timestamp() as at',
  );
  const changed = await changedKeys(db, last);
  if (changed.length > 0) {
    const target = { cluster, index: cluster.indexOf(last.id) };
    await sendDocuments(target, readDocuments(db, last.version, changed));
    await refresh(target);
  }
  await db.query(
    `update search.generation
     set applied_snapshot = $2::pg_snapshot, applied_at = $3,
       applied_change = greatest(applied_change, $4::bigint)
     where id = $1`,
    [last.id, now[0]?.snapshot, now[0]?.at, highest(changed)],
  );
  return changed.length;
}

const highest = (changed: readonly ChangedKey[]): string =>
  changed.reduce((most, { change }) => (BigInt(change) > most ? BigInt(change) : most), 0n).toString();

async function lastApplied(db: ClientBase): Promise<Applied | null> {
  const { rows } = await db.query<Applied>({
    name: 'search-last-applied',
    text: `select id, version, applied_snapshot::text as snapshot from search.generation
           where state = 'ready' and format = $1 order by id desc limit 1`,
    values: [CLUSTER_FORMAT],
  });
  return rows[0] ?? null;
}

async function changedKeys(db: ClientBase, { version, snapshot }: Applied): Promise<ChangedKey[]> {
  const { rows } = await db.query<ChangedKey>({
    name: 'search-changed-keys',
    text: `select key, max(change.id)::text as change
           from search.change cross join unnest(change.keys) key
           where ${changedSince('$1', '$2::pg_snapshot')}
           group by key`,
    values: [version, snapshot],
  });
  return rows;
}

/** The documents as they are now, which may be newer than their changes: those come again, with higher numbers. */
async function* readDocuments(
  db: ClientBase,
  version: number,
  changed: readonly ChangedKey[],
): AsyncGenerator<VersionedDocument> {
  for (let at = 0; at < changed.length; at += READ_SIZE) {
    const some = changed.slice(at, at + READ_SIZE);
    const { rows } = await db.query<{ key: string; body: string | null }>(
      `select wanted.key, convert_from(document.body, 'UTF8') as body
       from unnest($1::text[]) wanted (key)
         left join ${searchDocuments(version)} document on document.id = projection.document_id(wanted.key)`,
      [textArray(some.map(({ key }) => key))],
    );
    const bodies = new Map(rows.map(({ key, body }) => [key, body]));
    for (const { key, change } of some) {
      const id = KEY.exec(key)?.[1];
      const body = bodies.get(key) ?? null;
      if (id === undefined) continue;
      yield {
        id: Number(id),
        document: body === null ? null : JSON.parse(body),
        version: Number(change),
      };
    }
  }
}
