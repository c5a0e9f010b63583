import type { Pool } from 'pg';
import { textArray } from '../db/arrays.ts';
import { batchedLookup } from '../db/batched-lookup.ts';
import type { StoredDossier } from './dossier.ts';
import { viewOf } from './store/version.ts';

/** Reads stored dossiers by what is asked for; lookups that arrive together share one statement. */
export interface DossierLookup {
  dossier(asked: string): Promise<StoredDossier | null>;
  /** Its hash alone, for clients that may hold it already: the body stays where it is. */
  hash(asked: string): Promise<Buffer | null>;
}

/** A statement that finds documents for `$1::text[]`, with `columns` of the document beside what was asked. */
type Statement = (columns: string) => string;

/** By the key of the document, as in `artist:<cluster id>`. */
export const byKey = (projection: string): Statement => {
  return (columns) =>
    `select key as asked, ${columns} from ${viewOf(projection)} where key = any($1::text[])`;
};

/** By an address, of which the best claim owns it. */
export const byAddress = (projection: string): Statement => {
  return (columns) => `
    select asked.address as asked, ${columns}
    from unnest($1::text[]) asked (address)
      cross join lateral (${ownerOf(projection, 'asked.address')}) owner
      join ${viewOf(projection)} using (key)`;
};

/** Merges that lead in a circle lead nowhere; no chain of them is longer. */
const MOST_MERGES = 8;

/**
 * By an address, followed where the owner's own slug (rank 1) belongs to another document that it was merged into.
 * In a circle of merges each document answers to its own slug.
 */
export const bySurvivor = (projection: string): Statement => {
  return (columns) => `
    with recursive survivor (asked, key, path) as (
      select asked.address, owner.key, array[owner.key]
      from unnest($1::text[]) asked (address)
        cross join lateral (${ownerOf(projection, 'asked.address')}) owner
      union all
      select survivor.asked, owner.key, path || owner.key
      from survivor
        join ${viewOf(projection)}_address own on own.key = survivor.key and own.rank = 1
        cross join lateral (${ownerOf(projection, 'own.address')}) owner
      where owner.key <> all (path) and cardinality(path) < ${MOST_MERGES}
    )
    select distinct on (asked) asked, ${columns}
    from survivor join ${viewOf(projection)} using (key)
    order by asked, cardinality(path) desc`;
};

/** By the slug of an artist and, behind a slash, what is filed under the artist. */
export const underArtistSlug = (projection: string): Statement => {
  return (columns) => `
    select asked.path as asked, ${columns}
    from unnest($1::text[]) asked (path)
      cross join lateral (${ownerOf('artist', "split_part(asked.path, '/', 1)")}) artist
      cross join lateral (${ownerOf(projection, "artist.key || substr(asked.path, strpos(asked.path, '/'))")}) owner
      join ${viewOf(projection)} document on document.key = owner.key`;
};

const ownerOf = (projection: string, address: string): string =>
  `select key from ${viewOf(projection)}_address claim
   where claim.address = ${address} order by rank, support desc, key limit 1`;

interface Found {
  readonly asked: string;
  readonly hash: Buffer;
  readonly body: string;
}

/** @param name of the statements, one for each way of looking up */
export function dossierLookup(pool: Pool, name: string, statement: Statement): DossierLookup {
  const lookup = <T>(what: string, columns: string, toValue: (found: Found) => T) => {
    const query = { name: `${name}-${what}`, text: statement(columns) };
    const find = batchedLookup(async (asked) => {
      const { rows } = await pool.query<Found>({ ...query, values: [textArray(asked)] });
      return new Map(rows.map((found) => [found.asked, toValue(found)]));
    });
    // No text in the database holds a NUL, and one that is asked for would fail those who share the statement.
    return (asked: string): Promise<T | null> => (asked.includes('\0') ? Promise.resolve(null) : find(asked));
  };
  return {
    // Node reads base64 several times as fast as the hexadecimal text of a bytea.
    dossier: lookup('dossier', `hash, encode(body, 'base64') as body`, ({ hash, body }) => ({
      hash,
      frame: Buffer.from(body, 'base64'),
    })),
    hash: lookup('hash', 'hash', ({ hash }) => hash),
  };
}
