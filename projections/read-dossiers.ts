import type { Pool } from 'pg';
import { textArray } from '../db/arrays.ts';
import { batchedLookup } from '../db/batched-lookup.ts';
import type { StoredDossier } from './dossier.ts';
import { HASH_BYTES } from './frame/frame.ts';
import { documentIds } from './store/document-id.ts';
import { viewOf } from './store/version.ts';

/** Reads stored dossiers by what is asked for; lookups that arrive together share one statement. */
export interface DossierLookup {
  dossier(asked: string): Promise<StoredDossier | null>;
  /** Its hash alone, for clients that may hold it already: the body stays where it is. */
  hash(asked: string): Promise<Buffer | null>;
}

interface Statement {
  /** A query that finds documents for `$1`, with `columns` of the document beside what was `asked`. */
  readonly rows: (columns: string) => string;
  readonly type: 'text[]' | 'uuid[]';
  /** `$1` */
  readonly values: (asked: readonly string[]) => Buffer;
}

/** By the key of the document, as in `artist:<cluster id>`. */
export const byKey = (projection: string): Statement => ({
  rows: (columns) => `select id as asked, ${columns} from ${viewOf(projection)} where id = any($1::uuid[])`,
  type: 'uuid[]',
  values: documentIds,
});

const byText = (rows: Statement['rows']): Statement => ({ rows, type: 'text[]', values: textArray });

/** By an address, of which the best claim owns it. */
export const byAddress = (projection: string): Statement =>
  byText(
    (columns) => `
    select asked.address as asked, ${columns}
    from unnest($1::text[]) asked (address)
      cross join lateral (${ownerOf(projection, 'asked.address')}) owner
      join ${viewOf(projection)} using (id)`,
  );

/** Merges that lead in a circle lead nowhere; no chain of them is longer. */
const MOST_MERGES = 8;

/**
 * By an address, followed where the owner's own slug (rank 1) belongs to another document that it was merged into.
 * In a circle of merges each document answers to its own slug.
 */
export const bySurvivor = (projection: string): Statement =>
  byText(
    (columns) => `
    with recursive survivor (asked, id, path) as (
      select asked.address, owner.id, array[owner.id]
      from unnest($1::text[]) asked (address)
        cross join lateral (${ownerOf(projection, 'asked.address')}) owner
      union all
      select survivor.asked, owner.id, path || owner.id
      from survivor
        join ${viewOf(projection)}_address own on own.document = survivor.id and own.rank = 1
        cross join lateral (${ownerOf(projection, 'own.address')}) owner
      where owner.id <> all (path) and cardinality(path) < ${MOST_MERGES}
    )
    select distinct on (asked) asked, ${columns}
    from survivor join ${viewOf(projection)} using (id)
    order by asked, cardinality(path) desc`,
  );

/** By the slug of an artist and, behind a slash, what is filed under the artist. */
export const underArtistSlug = (projection: string): Statement =>
  byText(
    (columns) => `
    select asked.path as asked, ${columns}
    from unnest($1::text[]) asked (path)
      cross join lateral (
        select key from ${viewOf('artist')} where id = (${ownerOf('artist', "split_part(asked.path, '/', 1)")})
      ) artist
      cross join lateral (${ownerOf(projection, "artist.key || substr(asked.path, strpos(asked.path, '/'))")}) owner
      join ${viewOf(projection)} document on document.id = owner.id`,
  );

/** A query for the `id` of the document that owns an address. @param address an expression of SQL */
export const ownerOf = (projection: string, address: string): string =>
  `select document as id from ${viewOf(projection)}_address claim
   where claim.address = ${address} order by rank, support desc, document limit 1`;

/**
 * Documents in one value: few enough for a text that V8 keeps with others, and not in pages got from the system for it.
 * Hashes alone are small, and all in one.
 */
const TOGETHER = 8;

/**
 * All that is found in few values, record after record: which of the asked keys it is for, the hash and, where bodies are
 * asked for, the length of the body and the body. A row of its own for each would cost more to read than what is in it.
 */
const inFewValues = ({ rows, type }: Statement, columns: string, withBodies: boolean): string => `
  select encode(string_agg(
    int4send(place) || hash ${withBodies ? '|| int4send(length(body)) || body' : ''}, ''), 'base64') as records
  from (select *, array_position($1::${type}, asked) - 1 as place from (${rows(columns)}) found) placed
  ${withBodies ? `group by place / ${TOGETHER}` : 'having count(*) > 0'}`;

/** @param name of the statements, one for each way of looking up */
export function dossierLookup(pool: Pool, name: string, statement: Statement): DossierLookup {
  const lookup = <T>(what: string, text: string, readRecords: RecordReader<T>) => {
    const find = batchedLookup(async (asked) => {
      const { rows } = await pool.query<{ records: string }>({
        name: `${name}-${what}`,
        text,
        values: [statement.values(asked)],
      });
      // Node reads base64 several times as fast as the hexadecimal text of a bytea.
      const found = new Map<string, T>();
      for (const { records } of rows) readRecords(Buffer.from(records, 'base64'), asked, found);
      return found;
    });
    // No text in the database holds a NUL, and one that is asked for would fail those who share the statement.
    return (asked: string): Promise<T | null> => (asked.includes('\0') ? Promise.resolve(null) : find(asked));
  };
  return {
    dossier: lookup('dossier', inFewValues(statement, 'hash, body', true), readDossiers),
    hash: lookup('hash', inFewValues(statement, 'hash', false), readHashes),
  };
}

type RecordReader<T> = (records: Buffer, asked: readonly string[], found: Map<string, T>) => void;

/** Bytes of the place of a key among those that were asked for, and of the length of a body. */
const PLACE_BYTES = 4;
const LENGTH_BYTES = 4;

const readDossiers: RecordReader<StoredDossier> = (records, asked, found) => {
  for (let at = 0; at < records.length; ) {
    const key = asked[records.readInt32BE(at)] ?? '';
    const length = at + PLACE_BYTES + HASH_BYTES;
    const body = length + LENGTH_BYTES;
    const end = body + records.readInt32BE(length);
    found.set(key, { hash: records.subarray(at + PLACE_BYTES, length), frame: records.subarray(body, end) });
    at = end;
  }
};

const readHashes: RecordReader<Buffer> = (records, asked, found) => {
  for (let at = 0; at < records.length; at += PLACE_BYTES + HASH_BYTES)
    found.set(
      asked[records.readInt32BE(at)] ?? '',
      records.subarray(at + PLACE_BYTES, at + PLACE_BYTES + HASH_BYTES),
    );
};
