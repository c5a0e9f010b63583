import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import type { Performers } from './project.ts';

/** Who performed what an address names. */
interface Performer {
  /** Cluster id; null where nobody is known, or no one in particular. */
  readonly artist: string | null;
  /** Whether recordings of several artists have an equal claim, so that none was chosen. */
  readonly isAmbiguous: boolean;
}

/** Of the documents with the best claim there may be one for every storefront release that has the track. */
const MOST_CLAIMS = 64;

const CLAIMS = `
  select asked.address, claim.rank, claim.support, convert_from(document.body, 'UTF8') as performers
  from unnest($1::text[]) asked (address)
    cross join lateral (
      select rank, support, key from read.recording_address claim
      where claim.address = asked.address order by rank, support desc, key limit ${MOST_CLAIMS}
    ) claim
    join read.recording document using (key)`;

interface Claim {
  readonly address: string;
  readonly rank: number;
  readonly support: number;
  readonly performers: string;
}

const NOBODY: Performer = { artist: null, isAmbiguous: false };

export type PerformerLookup = (address: string) => Promise<Performer>;

/**
 * Looks performers up by the address of a recording. What is asked together shares a statement. Of several artists the
 * one whose recording is on most releases is answered, and none where two are on equally many.
 */
export function performerLookup(pool: Pool): PerformerLookup {
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<Claim>({
      name: 'recording-claims',
      text: CLAIMS,
      values: [textArray(addresses)],
    });
    const byAddress = Map.groupBy(rows, ({ address }) => address);
    return new Map([...byAddress].map(([address, claims]) => [address, decide(claims)]));
  });
  return async (address) => (await find(address)) ?? NOBODY;
}

function decide(claims: readonly Claim[]): Performer {
  const rank = Math.min(...claims.map((claim) => claim.rank));
  const releases = new Map<string, number>();
  for (const claim of claims) {
    if (claim.rank !== rank) continue;
    const performers: Performers = JSON.parse(claim.performers);
    for (const [artist, own] of Object.entries(performers)) {
      const count = own === null ? claim.support : own[claim.address];
      if (count !== undefined) releases.set(artist, Math.max(count, releases.get(artist) ?? 0));
    }
  }
  const [first, second] = [...releases].sort(([, a], [, b]) => b - a);
  if (first === undefined) return NOBODY;
  if (second !== undefined && second[1] === first[1]) return { artist: null, isAmbiguous: true };
  return { artist: first[0], isAmbiguous: false };
}
