import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { type FoundTracks, parseTracks, TRACK_VIEW, type TrackCorpus } from './document.ts';

/** Documents read per lookup key; further ones are versions of versions. */
const MAX_DOCUMENTS = 8;

/** Returns each document once: most have several of the lookup keys. */
const candidatesQuery = (view: string): string => `
  with candidate as materialized (
    select queried.value, best.document
    from unnest($1::text[]) queried (value)
      cross join lateral (
        select document from ${view}_address
        where address = queried.value order by rank, support desc, document limit ${MAX_DOCUMENTS}
      ) best
  )
  select document.key, found.values, convert_from(document.body, 'UTF8') as body
  from (select document as id, array_agg(value) as values from candidate group by document) found
    cross join lateral (select key, body from ${view} where id = found.id limit 1) document`;

/** Candidate documents by lookup key, unordered. */
export type TrackCandidates = ReadonlyMap<string, readonly FoundTracks[]>;

const NO_CANDIDATES: TrackCandidates = new Map();

/** Finds the candidate documents of lookup keys (`matchLookupKey`) in one statement. */
export async function findCandidates(
  pool: Pool,
  corpus: TrackCorpus,
  lookupKeys: readonly string[],
): Promise<TrackCandidates> {
  if (lookupKeys.length === 0) return NO_CANDIDATES;
  const { rows } = await pool.query<{ key: string; values: readonly string[]; body: string }>({
    name: `${corpus}-track-candidates`,
    text: candidatesQuery(TRACK_VIEW[corpus]),
    values: [textArray([...new Set(lookupKeys)])],
  });
  const candidates = new Map<string, FoundTracks[]>();
  for (const { key, values, body } of rows) {
    const document = parseTracks(key, body);
    for (const value of new Set(values)) {
      const before = candidates.get(value);
      if (before === undefined) candidates.set(value, [document]);
      else before.push(document);
    }
  }
  return candidates;
}
