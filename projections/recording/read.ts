import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import type { StoredIdentity } from '../identity/answer.ts';
import { artistAddress } from '../identity/claims.ts';
import { IDENTITY_CLAIMS, ownerOf } from '../identity/read.ts';
import { bestClaims, type Claim, claimsText, readClaims } from '../read-claims.ts';
import type { Performers } from './project.ts';

/** Who performed what an address names. */
interface Performer {
  /** Cluster id; null where nobody is known, or no one in particular. */
  readonly artist: string | null;
  /** Who that is; null where no source says more of it. */
  readonly identity: StoredIdentity | null;
  /** Whether recordings of several artists have an equal claim, so that none was chosen. */
  readonly isAmbiguous: boolean;
}

/** Of the documents with the best claim there may be one for every storefront release that has the track. */
const RECORDING_CLAIMS = { projection: 'recording', most: 64 } as const;

/** The best claims to addresses of recordings, and who the performers are that these name. */
const PERFORMERS = `
  with recording as materialized (
    select asked.number, claim.*
    from unnest($1::text[]) with ordinality asked (address, number)
      cross join lateral (${bestClaims(RECORDING_CLAIMS, 'asked.address')}) claim
  ), performer as (
    select distinct json_object_keys(convert_from(body, 'UTF8')::json) as id from recording
  )
  select
    (select ${claimsText('number')} from recording) as recordings,
    (select ${claimsText('performer.id')}
     from performer cross join lateral (${bestClaims(IDENTITY_CLAIMS, `'${artistAddress('')}' || performer.id`)}) claim
    ) as identities`;

export type PerformerLookup = (address: string) => Promise<Performer>;

/**
 * Looks performers up by the address of a recording. What is asked together shares a statement. Of several artists the
 * one whose recording is on most releases is answered, and none where two are on equally many.
 */
export function performerLookup(pool: Pool): PerformerLookup {
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<{ recordings: string | null; identities: string | null }>({
      name: 'recording-performers',
      text: PERFORMERS,
      values: [textArray(addresses)],
    });
    const recordings = readClaims(rows[0]?.recordings ?? null);
    const identities = readClaims(rows[0]?.identities ?? null);
    return new Map(
      addresses.map((address, index) => {
        const best = recordings.get(String(index + 1)) ?? [];
        return [address, performerOf(address, best, identities)];
      }),
    );
  });
  return async (address) => (await find(address)) ?? NOBODY;
}

const NOBODY: Performer = { artist: null, identity: null, isAmbiguous: false };

function performerOf(
  address: string,
  best: readonly Claim[],
  identities: ReadonlyMap<string, readonly Claim[]>,
): Performer {
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
  if (second !== undefined && second[1] === first[1]) return { ...NOBODY, isAmbiguous: true };
  const [artist] = first;
  return { artist, identity: ownerOf(identities.get(artist) ?? []).identity, isAmbiguous: false };
}
