import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import type { StoredDossier } from './dossier.ts';
import { HASH_BYTES } from './frame/frame.ts';
import { documentIds } from './store/document-id.ts';
import { viewOf } from './store/version.ts';

/** Reads stored dossiers by their keys; lookups that arrive together share one statement. Null if the dossier does not exist. */
export interface DossierLookup {
  dossier(requested: string): Promise<StoredDossier | null>;
  /** The hash alone, for clients that may have the dossier already. */
  hash(requested: string): Promise<Buffer | null>;
}

interface LookupStatement {
  /** SQL that finds documents for `$1`: `requested`, and these `columns` of the document. */
  readonly rows: (columns: string) => string;
  readonly type: 'text[]' | 'uuid[]';
  /** `$1` */
  readonly values: (requested: readonly string[]) => Buffer;
}

/** By the key of the document, as in `artist:<cluster id>`. */
export const byKey = (projection: string): LookupStatement => ({
  rows: (columns) =>
    `select id as requested, ${columns} from ${viewOf(projection)} where id = any($1::uuid[])`,
  type: 'uuid[]',
  values: documentIds,
});

const byText = (rows: LookupStatement['rows']): LookupStatement => ({
  rows,
  type: 'text[]',
  values: textArray,
});

/** By a lookup key, whose best candidate owns it. */
export const byLookupKey = (projection: string): LookupStatement =>
  byText(
    (columns) => `
    select requested.address as requested, ${columns}
    from unnest($1::text[]) requested (address)
      cross join lateral (${ownerOf(projection, 'requested.address')}) owner
      join ${viewOf(projection)} using (id)`,
  );

/** Stops at cycles of merges; no chain is longer. */
const MAX_MERGES = 8;

/**
 * By a lookup key, following merges: the owner's own slug (rank 1) may belong to the document that it was merged into.
 * In a cycle of merges each document keeps its own slug.
 */
export const bySurvivor = (projection: string): LookupStatement =>
  byText(
    (columns) => `
    with recursive survivor (requested, id, path) as (
      select requested.address, owner.id, array[owner.id]
      from unnest($1::text[]) requested (address)
        cross join lateral (${ownerOf(projection, 'requested.address')}) owner
      union all
      select survivor.requested, owner.id, path || owner.id
      from survivor
        join ${viewOf(projection)}_address own on own.document = survivor.id and own.rank = 1
        cross join lateral (${ownerOf(projection, 'own.address')}) owner
      where owner.id <> all (path) and cardinality(path) < ${MAX_MERGES}
    )
    select distinct on (requested) requested, ${columns}
    from survivor join ${viewOf(projection)} using (id)
    order by requested, cardinality(path) desc`,
  );

/** By the slug of an artist and, after a slash, the slug of an entity of that artist. */
export const underArtistSlug = (projection: string): LookupStatement =>
  byText(
    (columns) => `
    select requested.path as requested, ${columns}
    from unnest($1::text[]) requested (path)
      cross join lateral (
        select key from ${viewOf('artist')} where id = (${ownerOf('artist', "split_part(requested.path, '/', 1)")})
      ) artist
      cross join lateral (${ownerOf(projection, "artist.key || substr(requested.path, strpos(requested.path, '/'))")}) owner
      join ${viewOf(projection)} document on document.id = owner.id`,
  );

/** SQL for the `id` of the document that owns a lookup key. @param lookupKey SQL expression */
export const ownerOf = (projection: string, lookupKey: string): string =>
  `select document as id from ${viewOf(projection)}_address candidate
   where candidate.address = ${lookupKey} order by rank, support desc, document limit 1`;

/**
 * Documents per value: few enough that V8 allocates the text in its regular heap instead of pages of its own. Hashes alone
 * are small and come in one value.
 */
const TOGETHER = 8;

/**
 * SQL that packs the documents found into few values. A record is the index of the requested key, the hash, and with bodies
 * the length of the body and the body. node-pg takes longer to read a row per document than its content.
 */
const inFewValues = ({ rows, type }: LookupStatement, columns: string, withBodies: boolean): string => `
  select encode(string_agg(
    int4send(place) || hash ${withBodies ? '|| int4send(length(body)) || body' : ''}, ''), 'base64') as records
  from (select *, array_position($1::${type}, requested) - 1 as place from (${rows(columns)}) found) placed
  ${withBodies ? `group by place / ${TOGETHER}` : 'having count(*) > 0'}`;

/** @param name names the prepared statements, so one for each way to look up */
export function dossierLookup(pool: Pool, name: string, statement: LookupStatement): DossierLookup {
  const lookup = <T>(what: string, text: string, readRecords: RecordReader<T>) => {
    const find = batchedLookup(async (requested) => {
      const { rows } = await pool.query<{ records: string }>({
        name: `${name}-${what}`,
        text,
        values: [statement.values(requested)],
      });
      // Node decodes base64 several times as fast as the hexadecimal text of a bytea.
      const found = new Map<string, T>();
      for (const { records } of rows) readRecords(Buffer.from(records, 'base64'), requested, found);
      return found;
    });
    // No text in the database has a NUL, and one in a key would fail the whole statement.
    return (requested: string): Promise<T | null> =>
      requested.includes('\0') ? Promise.resolve(null) : find(requested);
  };
  return {
    dossier: lookup('dossier', inFewValues(statement, 'hash, body', true), readDossiers),
    hash: lookup('hash', inFewValues(statement, 'hash', false), readHashes),
  };
}

type RecordReader<T> = (records: Buffer, requested: readonly string[], found: Map<string, T>) => void;

/** Bytes of the index of a key, and of the length of a body. */
const INDEX_BYTES = 4;
const LENGTH_BYTES = 4;

const readDossiers: RecordReader<StoredDossier> = (records, requested, found) => {
  for (let at = 0; at < records.length; ) {
    const key = requested[records.readInt32BE(at)] ?? '';
    const length = at + INDEX_BYTES + HASH_BYTES;
    const body = length + LENGTH_BYTES;
    const end = body + records.readInt32BE(length);
    found.set(key, { hash: records.subarray(at + INDEX_BYTES, length), frame: records.subarray(body, end) });
    at = end;
  }
};

const readHashes: RecordReader<Buffer> = (records, requested, found) => {
  for (let at = 0; at < records.length; at += INDEX_BYTES + HASH_BYTES)
    found.set(
      requested[records.readInt32BE(at)] ?? '',
      records.subarray(at + INDEX_BYTES, at + INDEX_BYTES + HASH_BYTES),
    );
};
