import type { Pool } from 'pg';
import { type Claim, claimLookup } from '../read-claims.ts';
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

const NOBODY: Performer = { artist: null, isAmbiguous: false };

export type PerformerLookup = (address: string) => Promise<Performer>;

/**
 * Looks performers up by the address of a recording. What is asked together shares a statement. Of several artists the
 * one whose recording is on most releases is answered, and none where two are on equally many.
 */
export function performerLookup(pool: Pool): PerformerLookup {
  const claimsTo = claimLookup(pool, { projection: 'recording', most: MOST_CLAIMS });
  return async (address) => decide(address, await claimsTo(address));
}

function decide(address: string, best: readonly Claim[]): Performer {
  const releases = new Map<string, number>();
  for (const { support, text } of best) {
    const performers: Performers = JSON.parse(text);
    for (const [artist, own] of Object.entries(performers)) {
      const count = own === null ? support : own[address];
      if (count !== undefined) releases.set(artist, Math.max(count, releases.get(artist) ?? 0));
    }
  }
  const [first, second] = [...releases].sort(([, a], [, b]) => b - a);
  if (first === undefined) return NOBODY;
  if (second !== undefined && second[1] === first[1]) return { artist: null, isAmbiguous: true };
  return { artist: first[0], isAmbiguous: false };
}
