import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { type Corpus, type FoundTracks, parseTracks, TRACK_VIEW } from './document.ts';

/** Documents with a claim to one address, of which the best are looked at: more than these are versions of versions. */
const MOST_CLAIMS = 8;

/** Each document comes once, for most have a claim to more than one address. */
const claimsOf = (view: string): string => `
  with claim as materialized (
    select asked.address, claim.document
    from unnest($1::text[]) asked (address)
      cross join lateral (
        select document from ${view}_address claim
        where claim.address = asked.address order by rank, support desc, document limit ${MOST_CLAIMS}
      ) claim
  )
  select document.key, claimed.addresses, convert_from(document.body, 'UTF8') as body
  from (select document as id, array_agg(address) as addresses from claim group by document) claimed
    cross join lateral (select key, body from ${view} where id = claimed.id limit 1) document`;

/** Documents with a claim by address, in no order. */
export type Claims = ReadonlyMap<string, readonly FoundTracks[]>;

const NO_CLAIMS: Claims = new Map();

/** Looks up all documents with a claim to any of the addresses by artist and title, or by title, in one statement. */
export async function findClaims(pool: Pool, corpus: Corpus, addresses: readonly string[]): Promise<Claims> {
  if (addresses.length === 0) return NO_CLAIMS;
  const { rows } = await pool.query<{ key: string; addresses: readonly string[]; body: string }>({
    name: `${corpus}-track-claims`,
    text: claimsOf(TRACK_VIEW[corpus]),
    values: [textArray([...new Set(addresses)])],
  });
  const claims = new Map<string, FoundTracks[]>();
  for (const { key, addresses: claimed, body } of rows) {
    const document = parseTracks(key, body);
    for (const address of new Set(claimed)) {
      const before = claims.get(address);
      if (before === undefined) claims.set(address, [document]);
      else before.push(document);
    }
  }
  return claims;
}
