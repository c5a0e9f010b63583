import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import type { InTurn } from '../../db/take-turns.ts';
import { type Claim, claimLookup } from '../read-claims.ts';
import { type Identity, isOfCatalogue, type StoredIdentity, storedIdentity } from './answer.ts';
import { isUnverified } from './claims.ts';
import { normalizeName } from './name.ts';
import { ADDRESS_NAME, leastLikeness, NEAR_NAMES } from './near-names.ts';

/** An artist of the booking graph whose name is close to the one asked for. */
interface Candidate {
  readonly cluster_id: string;
  readonly name: string;
  readonly tier: 'cluster';
  readonly distinct_events: number;
}

/** What a question for an identity came to: one artist, none, or several with an equal claim. */
export interface Found {
  readonly identity: StoredIdentity | null;
  /** The same for every document about the artist; null for none. */
  readonly artist: string | null;
  /** Whether several artists have an equal claim, so that none was chosen. */
  readonly isAmbiguous: boolean;
  /** Whether nobody vouches that an id or a page is the artist's. Means nothing of a name. */
  readonly isUnverified: boolean;
}

/** An artist has two documents at most, in the catalogue and as a cluster, so that a third is another's. */
export const IDENTITY_CLAIMS = { projection: 'identity', most: 3 } as const;

const MAX_CANDIDATES = 5;

/**
 * The index is told of each name how much has to be shared before it is read for it, or it would give several times as
 * many names to be compared. Said for the statement alone, and in all digits, since what shares just as much is near.
 */
const CANDIDATES = `
  select asked.name, near.support, convert_from(document.body, 'UTF8') as identity
  from unnest($1::text[]) with ordinality asked (name, number)
    cross join lateral (
      select likeness, set_config('pg_trgm.similarity_threshold', likeness::float8::text, true) as told
      from (${leastLikeness('asked.name')}) needed
    ) least
    cross join lateral (
      select support, document, similarity(${ADDRESS_NAME}, asked.name) as likeness
      from read.identity_address
      where least.told is not null and ${NEAR_NAMES} and ${ADDRESS_NAME} % asked.name
        and similarity(${ADDRESS_NAME}, asked.name) >= least.likeness
      order by likeness desc, support desc, document limit ${MAX_CANDIDATES}
    ) near
    join read.identity document on document.id = near.document
  order by asked.number, near.likeness desc, near.support desc, document.id`;

const NOBODY: Found = { identity: null, artist: null, isAmbiguous: false, isUnverified: false };

export type OwnerLookup = (address: string) => Promise<Found>;

/**
 * Looks up the artist with the best claim to a name, an id or a page, by an address as identities are stored under. What
 * is asked together shares a statement.
 */
export function ownerLookup(pool: Pool): OwnerLookup {
  const claimsTo = claimLookup(pool, { ...IDENTITY_CLAIMS, arePaired: true });
  return async (address) => ownerOf(await claimsTo(address));
}

export type CandidateLookup = (name: string) => Promise<readonly Candidate[]>;

/**
 * Looks up artists of the booking graph with a name close to the one asked for: the closest first, at most 5. What is
 * asked together shares a statement.
 *
 * @param inTurn when a statement may begin: among many names each takes long, and other reads need connections too
 */
export function candidateLookup(pool: Pool, inTurn: InTurn): CandidateLookup {
  const find = batchedLookup(async (names) => {
    const { rows } = await inTurn(() =>
      pool.query<{ name: string; support: number; identity: string }>({
        name: 'identity-candidates',
        text: CANDIDATES,
        values: [textArray(names)],
      }),
    );
    const byName = Map.groupBy(rows, ({ name }) => name);
    return new Map([...byName].map(([name, near]) => [name, near.map(candidateOf)]));
  });
  return async (name) => {
    const normalized = normalizeName(name);
    return (COMPARABLE.test(normalized) ? await find(normalized) : null) ?? [];
  };
}

/** The artist who has the best claim alone, by the catalogue's document where there is one. */
export function ownerOf(best: readonly Claim[]): Found {
  const [first] = best;
  if (first === undefined) return NOBODY;
  const identities = best.map(({ key, text }) => storedIdentity(key, text));
  const [artist = null, another] = new Set(identities.map(artistOf));
  if (another !== undefined) return { ...NOBODY, isAmbiguous: true };
  const identity = identities.find(isOfCatalogue) ?? identities[0] ?? null;
  return { identity, artist, isAmbiguous: false, isUnverified: isUnverified(first.rank) };
}

const artistOf = ({ key, clusterId }: StoredIdentity): string => clusterId ?? key;

/** Without a letter or digit there is nothing to compare, which would take a look at every name. */
const COMPARABLE = /[\p{L}\p{N}]/u;

function candidateOf({ support, identity }: { support: number; identity: string }): Candidate {
  const { cluster_id, display } = JSON.parse(identity) as Identity;
  return { cluster_id: cluster_id ?? '', name: display ?? '', tier: 'cluster', distinct_events: support };
}
