import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import type { StoredIdentity } from '../identity/answer.ts';
import { artistAddress } from '../identity/claims.ts';
import { IDENTITY_CLAIMS, ownerOf } from '../identity/read.ts';
import { bestClaims, type Claim, claimText, noClaimText, readClaims } from '../read-claims.ts';

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

/** The number of an address, on how many releases the recording is, and who performed it. */
const CREDIT = `asked.number || '/' || performer.releases || '/' || performer.artist`;

/** Whom the best claims to addresses of recordings name, and the best claims to be them, all in one text. */
const PERFORMERS = `
  select string_agg(coalesce(${claimText(CREDIT)}, ${noClaimText(CREDIT)}), E'\\n') as credits
  from unnest($1::text[]) with ordinality asked (address, number)
    cross join lateral (
      select named.artist, case when named.own is null then claim.support::text else named.own::json ->> asked.address end
      from (${bestClaims(RECORDING_CLAIMS, 'asked.address')}) claim
        cross join lateral json_each_text(convert_from(claim.body, 'UTF8')::json) named (artist, own)
    ) performer (artist, releases)
    left join lateral (${bestClaims(IDENTITY_CLAIMS, `'${artistAddress('')}' || performer.artist`)}) identity on true
  where performer.releases is not null`;

/** That an artist performed what an address names. */
interface Credit {
  /** Of the address. */
  readonly number: string;
  /** Cluster id. */
  readonly artist: string;
  readonly releases: number;
  /** The best claims to be the artist. */
  readonly claims: readonly Claim[];
}

function readCredit([credit, claims]: [string, readonly Claim[]]): Credit {
  const [number = '', releases, artist = ''] = credit.split('/');
  return { number, artist, releases: Number(releases), claims };
}

export type PerformerLookup = (address: string) => Promise<Performer>;

/**
 * Looks performers up by the address of a recording. What is asked together shares a statement. Of several artists the
 * one whose recording is on most releases is answered, and none where two are on equally many.
 */
export function performerLookup(pool: Pool): PerformerLookup {
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<{ credits: string | null }>({
      name: 'recording-performers',
      text: PERFORMERS,
      values: [textArray(addresses)],
    });
    const credits = Map.groupBy(
      [...readClaims(rows[0]?.credits ?? null)].map(readCredit),
      ({ number }) => number,
    );
    return new Map(
      addresses.map((address, index) => [address, performerOf(credits.get(String(index + 1)) ?? [])]),
    );
  });
  return async (address) => (await find(address)) ?? NOBODY;
}

const NOBODY: Performer = { artist: null, identity: null, isAmbiguous: false };

function performerOf(credits: readonly Credit[]): Performer {
  const byArtist = new Map<string, Credit>();
  for (const credit of credits) {
    if (credit.releases >= (byArtist.get(credit.artist)?.releases ?? 0)) byArtist.set(credit.artist, credit);
  }
  const [first, second] = [...byArtist.values()].sort((a, b) => b.releases - a.releases);
  if (first === undefined) return NOBODY;
  if (second !== undefined && second.releases === first.releases) return { ...NOBODY, isAmbiguous: true };
  const { artist, claims } = first;
  return { artist, identity: ownerOf(claims).identity, isAmbiguous: false };
}
