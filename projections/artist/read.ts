import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';

/** A dossier as stored: see `frame.ts` for how it is served. */
export interface StoredDossier {
  /** Identifies the content; equal hashes mean equal dossiers. */
  readonly hash: Buffer;
  readonly frame: Buffer;
}

/** Under what a dossier is asked for. */
interface ArtistAddress {
  /** Whether `value` is a cluster id of 64 lower-case hex digits; else it is a slug in lower case. */
  readonly isCluster: boolean;
  readonly value: string;
}

export interface ArtistReader {
  /** The dossier of the cluster lane, or the one that owns the slug. */
  dossier(address: ArtistAddress): Promise<StoredDossier | null>;
  /** Its hash alone, for clients that may hold it already: the body stays where it is. */
  hash(address: ArtistAddress): Promise<Buffer | null>;
}

const byKey = (columns: string): string =>
  `select key as asked, ${columns} from read.artist where key = any($1::text[])`;

const bySlug = (columns: string): string => `
  select asked.address as asked, ${columns}
  from unnest($1::text[]) asked (address)
    cross join lateral (
      select key from read.artist_address claim
      where claim.address = asked.address order by rank, support desc, key limit 1
    ) owner
    join read.artist using (key)`;

interface Found {
  readonly asked: string;
  readonly hash: Buffer;
  readonly body: Buffer;
}

/** Reads artist dossiers; lookups that arrive together share one statement. */
export function artistReader(pool: Pool): ArtistReader {
  const lookup = <T>(name: string, text: string, toValue: (found: Found) => T) =>
    batchedLookup(async (keys) => {
      const { rows } = await pool.query<Found>({ name, text, values: [textArray(keys)] });
      return new Map(rows.map((found) => [found.asked, toValue(found)]));
    });
  const stored = ({ hash, body }: Found): StoredDossier => ({ hash, frame: body });
  const dossierByKey = lookup('artist-by-key', byKey('hash, body'), stored);
  const dossierBySlug = lookup('artist-by-slug', bySlug('hash, body'), stored);
  const hashByKey = lookup('artist-hash-by-key', byKey('hash'), ({ hash }) => hash);
  const hashBySlug = lookup('artist-hash-by-slug', bySlug('hash'), ({ hash }) => hash);
  return {
    dossier: ({ isCluster, value }) => (isCluster ? dossierByKey(`artist:${value}`) : dossierBySlug(value)),
    hash: ({ isCluster, value }) => (isCluster ? hashByKey(`artist:${value}`) : hashBySlug(value)),
  };
}
