import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';

/** A dossier as stored: see `frame.ts` for how it is served. */
export interface StoredDossier {
  /** Identifies the content; equal hashes mean equal dossiers. */
  readonly hash: Buffer;
  readonly frame: Buffer;
}

export interface ArtistReader {
  /** The dossier of the cluster lane. @param clusterId 64 lower-case hex digits */
  byCluster(clusterId: string): Promise<StoredDossier | null>;
  /** The dossier that owns the slug. @param slug lower case */
  bySlug(slug: string): Promise<StoredDossier | null>;
}

interface Stored {
  asked: string;
  hash: Buffer;
  body: Buffer;
}

const BY_KEY = 'select key as asked, hash, body from read.artist where key = any($1::text[])';

const BY_SLUG = `
  select owner.address as asked, hash, body
  from (
    select distinct on (address) address, key from read.artist_address
    where address = any($1::text[]) order by address, rank, support desc, key
  ) owner join read.artist using (key)`;

/** Reads artist dossiers; lookups that arrive together share one statement. */
export function artistReader(pool: Pool): ArtistReader {
  const byKey = batchedLookup((keys) => fetchStored(pool, 'artist-by-key', BY_KEY, keys));
  const bySlug = batchedLookup((slugs) => fetchStored(pool, 'artist-by-slug', BY_SLUG, slugs));
  return { byCluster: (clusterId) => byKey(`artist:${clusterId}`), bySlug };
}

async function fetchStored(
  pool: Pool,
  name: string,
  text: string,
  keys: readonly string[],
): Promise<Map<string, StoredDossier>> {
  const { rows } = await pool.query<Stored>({
    name,
    text,
    values: [textArray(keys)],
  });
  return new Map(rows.map(({ asked, hash, body }) => [asked, { hash, frame: body }]));
}
