import type { LimitFunction } from 'p-limit';
import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { batchedLookup } from '../../../db/batched-lookup.ts';
import { candidateLookup, type LookupCandidate } from '../../engine/read-candidates.ts';
import { normalizeName } from '../shared/name.ts';
import { type Identity, isCatalogIdentity, type StoredIdentity, storedIdentity } from './identity.ts';
import { isUnverified, NAME_RANK } from './lookup-keys.ts';
import { KEY_NAME, minSimilarity, NEAR_NAMES } from './near-names.ts';

/** An artist of the booking graph with a similar name. */
interface NearArtist {
  readonly cluster_id: string;
  readonly name: string;
  readonly tier: 'cluster';
  readonly distinct_events: number;
}

/** The result of a lookup: one artist, none, or several equal candidates. */
export interface OwnerResult {
  readonly identity: StoredIdentity | null;
  /** Cluster id, else document key: the same for every document of the artist; null for none. */
  readonly artist: string | null;
  /** Whether several artists are equal candidates, so none was chosen. */
  readonly isAmbiguous: boolean;
  /** Whether the id or page is unverified; meaningless for a name. */
  readonly isUnverified: boolean;
}

/** An artist has at most two documents, catalogue and cluster; a third belongs to another artist. */
export const IDENTITY_CANDIDATES = { projection: 'identity', max: 3 } as const;

const MAX_NEAR_ARTISTS = 5;

/**
 * Sets the index's similarity threshold per name, for this statement only; a lower common threshold would return several
 * times as many names to compare. All digits are passed, because a name exactly at the threshold is near.
 */
const NEAR_ARTISTS = `
  select queried.name, near.support, convert_from(document.body, 'UTF8') as identity
  from unnest($1::text[]) with ordinality queried (name, number)
    cross join lateral (
      select similarity, set_config('pg_trgm.similarity_threshold', similarity::float8::text, true) as setting
      from (${minSimilarity('queried.name')}) computed
    ) threshold
    cross join lateral (
      select support, document, similarity(${KEY_NAME}, queried.name) as similarity
      from read.identity_address
      where threshold.setting is not null and ${NEAR_NAMES} and ${KEY_NAME} % queried.name
        and similarity(${KEY_NAME}, queried.name) >= threshold.similarity
      order by similarity desc, support desc, document limit ${MAX_NEAR_ARTISTS}
    ) near
    join read.identity document on document.id = near.document
  order by queried.number, near.similarity desc, near.support desc, document.id`;

const NO_OWNER: OwnerResult = { identity: null, artist: null, isAmbiguous: false, isUnverified: false };

export type OwnerLookup = (key: string) => Promise<OwnerResult>;

/**
 * Looks up the artist of a name, an id or a page by its lookup key (`lookup-keys.ts`). Lookups of one tick share a
 * statement.
 */
export function ownerLookup(pool: Pool): OwnerLookup {
  const candidates = candidateLookup(pool, { ...IDENTITY_CANDIDATES, arePaired: true });
  return async (key) => ownerOf(await candidates(key));
}

/** Looks up the cluster of exactly a name by the name's lookup key, past the catalogue's artists of that name. */
export function clusterLookup(pool: Pool): OwnerLookup {
  const ranks = [NAME_RANK.publishedName, NAME_RANK.performingName] as const;
  const candidates = candidateLookup(pool, { ...IDENTITY_CANDIDATES, ranks });
  return async (key) => ownerOf(await candidates(key));
}

export type NearArtistLookup = (name: string) => Promise<readonly NearArtist[]>;

/**
 * Looks up artists of the booking graph with similar names, the most similar first, at most 5. Lookups of one tick share a
 * statement.
 *
 * @param limit bounds the concurrent statements: each takes long among many names, and other reads need connections too
 */
export function nearArtistLookup(pool: Pool, limit: LimitFunction): NearArtistLookup {
  const find = batchedLookup(async (names) => {
    const { rows } = await limit(() =>
      pool.query<{ name: string; support: number; identity: string }>({
        name: 'identity-candidates',
        text: NEAR_ARTISTS,
        values: [textArray(names)],
      }),
    );
    const byName = Map.groupBy(rows, ({ name }) => name);
    return new Map([...byName].map(([name, near]) => [name, near.map(nearArtistOf)]));
  });
  return async (name) => {
    const normalized = normalizeName(name);
    return (COMPARABLE.test(normalized) ? await find(normalized) : null) ?? [];
  };
}

/** The artist of the best candidates if they are all one artist; prefers the catalogue's document. */
export function ownerOf(best: readonly LookupCandidate[]): OwnerResult {
  const [first] = best;
  if (first === undefined) return NO_OWNER;
  const identities = best.map(({ key, text }) => storedIdentity(key, text));
  const [artist = null, another] = new Set(identities.map(artistOf));
  if (another !== undefined) return { ...NO_OWNER, isAmbiguous: true };
  const identity = identities.find(isCatalogIdentity) ?? identities[0] ?? null;
  return { identity, artist, isAmbiguous: false, isUnverified: isUnverified(first.rank) };
}

const artistOf = ({ key, clusterId }: StoredIdentity): string => clusterId ?? key;

/** A name without a letter or digit has no trigrams and would scan every name. */
const COMPARABLE = /[\p{L}\p{N}]/u;

function nearArtistOf({ support, identity }: { support: number; identity: string }): NearArtist {
  const { cluster_id, display } = JSON.parse(identity) as Identity;
  return { cluster_id: cluster_id ?? '', name: display ?? '', tier: 'cluster', distinct_events: support };
}
