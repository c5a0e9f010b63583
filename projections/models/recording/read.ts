import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { batchedLookup } from '../../../db/batched-lookup.ts';
import {
  bestCandidates,
  candidateText,
  type LookupCandidate,
  noCandidateText,
  readCandidates,
} from '../../engine/read-candidates.ts';
import type { StoredIdentity } from '../identity/identity.ts';
import { artistKey } from '../identity/lookup-keys.ts';
import { IDENTITY_CANDIDATES, ownerOf } from '../identity/read.ts';

/** The performer of a recording. */
interface Performer {
  /** Cluster id; null if unknown or ambiguous. */
  readonly artist: string | null;
  /** The artist's identity; null if no source has one. */
  readonly identity: StoredIdentity | null;
  /** Whether recordings of several artists are equal candidates, so none was chosen. */
  readonly isAmbiguous: boolean;
}

/** Every storefront release with the track may be an equal candidate. */
const RECORDING_CANDIDATES = { projection: 'recording', max: 64 } as const;

/** Number of the lookup key, releases with the recording, and its performer. */
const CREDIT = `queried.number || '/' || performer.releases || '/' || performer.artist`;

/** The performers of the best candidate recordings, each with the best candidates for its identity, in one text. */
const PERFORMERS = `
  select string_agg(coalesce(${candidateText(CREDIT)}, ${noCandidateText(CREDIT)}), E'\\n') as credits
  from unnest($1::text[]) with ordinality queried (value, number)
    cross join lateral (
      select named.artist, case when named.own is null then candidate.support::text else named.own::json ->> queried.value end
      from (${bestCandidates(RECORDING_CANDIDATES, 'queried.value')}) candidate
        cross join lateral json_each_text(convert_from(candidate.body, 'UTF8')::json) named (artist, own)
    ) performer (artist, releases)
    left join lateral (${bestCandidates(IDENTITY_CANDIDATES, `'${artistKey('')}' || performer.artist`)}) identity on true
  where performer.releases is not null`;

/** A performer of the recordings of one lookup key. */
interface Credit {
  /** Of the lookup key, from 1. */
  readonly number: string;
  /** Cluster id. */
  readonly artist: string;
  readonly releases: number;
  /** The best candidates for the artist's identity. */
  readonly candidates: readonly LookupCandidate[];
}

function readCredit([credit, candidates]: [string, readonly LookupCandidate[]]): Credit {
  const [number = '', releases, artist = ''] = credit.split('/');
  return { number, artist, releases: Number(releases), candidates };
}

export type PerformerLookup = (key: string) => Promise<Performer>;

/**
 * Looks up the performer of a recording by lookup key (`isrcKey`, `trackKey`). Of several artists it returns the one whose
 * recording is on most releases, and none if two are equal. Lookups of one tick share a statement.
 */
export function performerLookup(pool: Pool): PerformerLookup {
  const find = batchedLookup(async (keys) => {
    const { rows } = await pool.query<{ credits: string | null }>({
      name: 'recording-performers',
      text: PERFORMERS,
      values: [textArray(keys)],
    });
    const credits = Map.groupBy(
      [...readCandidates(rows[0]?.credits ?? null)].map(readCredit),
      ({ number }) => number,
    );
    return new Map(keys.map((key, index) => [key, performerOf(credits.get(String(index + 1)) ?? [])]));
  });
  return async (key) => (await find(key)) ?? NO_PERFORMER;
}

const NO_PERFORMER: Performer = { artist: null, identity: null, isAmbiguous: false };

function performerOf(credits: readonly Credit[]): Performer {
  const byArtist = new Map<string, Credit>();
  for (const credit of credits) {
    if (credit.releases >= (byArtist.get(credit.artist)?.releases ?? 0)) byArtist.set(credit.artist, credit);
  }
  const [first, second] = [...byArtist.values()].sort((a, b) => b.releases - a.releases);
  if (first === undefined) return NO_PERFORMER;
  if (second !== undefined && second.releases === first.releases)
    return { ...NO_PERFORMER, isAmbiguous: true };
  const { artist, candidates } = first;
  return { artist, identity: ownerOf(candidates).identity, isAmbiguous: false };
}
