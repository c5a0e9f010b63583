import type { Pool } from 'pg';
import { textArray } from '../db/arrays.ts';
import { batchedLookup } from '../db/batched-lookup.ts';
import type { SubjectRef } from './rows.ts';
import { viewOf } from './store/version.ts';

/** One of the best claims to an address, and the document that makes it. */
export interface Claim<Body> {
  readonly rank: number;
  readonly support: number;
  readonly key: SubjectRef;
  readonly body: Body;
}

interface ClaimsOptions {
  readonly projection: string;
  /** Claims to one address that are looked at. */
  readonly most: number;
}

/** All in one text: a row for each would cost more to read than what is in it. */
const bestClaims = ({ projection, most }: ClaimsOptions): string => `
  select '[' || string_agg(
    '[' || asked.number || ',' || claim.rank || ',' || claim.support || ',' || to_json(claim.key) || ','
      || convert_from(document.body, 'UTF8') || ']', ',') || ']' as claims
  from unnest($1::text[]) with ordinality asked (address, number)
    cross join lateral (
      select rank, support, key
      from (
        select rank, support, key, min(rank) over () as best
        from (
          select rank, support, key from ${viewOf(projection)}_address
          where address = asked.address order by rank, support desc, key limit ${most}
        ) first
      ) ranked
      where rank = best
    ) claim
    join ${viewOf(projection)} document using (key)`;

type FoundClaim<Body> = readonly [number: number, rank: number, support: number, key: SubjectRef, body: Body];

/**
 * Looks up the claims to an address of which none is better, with what they are made by: JSON of the form `Body`. What
 * is asked together shares a statement.
 */
export function claimLookup<Body>(
  pool: Pool,
  options: ClaimsOptions,
): (address: string) => Promise<readonly Claim<Body>[]> {
  const text = bestClaims(options);
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<{ claims: string | null }>({
      name: `${options.projection}-claims`,
      text,
      values: [textArray(addresses)],
    });
    const found: FoundClaim<Body>[] = JSON.parse(rows[0]?.claims ?? '[]');
    const byAddress = new Map<string, Claim<Body>[]>();
    for (const [number, rank, support, key, body] of found) {
      const address = addresses[number - 1] ?? '';
      const claim = { rank, support, key, body };
      const others = byAddress.get(address);
      if (others === undefined) byAddress.set(address, [claim]);
      else others.push(claim);
    }
    return byAddress;
  });
  return async (address) => (await find(address)) ?? [];
}
