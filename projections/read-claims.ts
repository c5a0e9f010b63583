import type { Pool } from 'pg';
import { textArray } from '../db/arrays.ts';
import { batchedLookup } from '../db/batched-lookup.ts';
import type { SubjectRef } from './rows.ts';
import { viewOf } from './store/version.ts';

/** One of the best claims to an address, and the document that makes it. */
export interface Claim {
  readonly rank: number;
  readonly support: number;
  readonly key: SubjectRef;
  /** The document as JSON text. */
  readonly text: string;
}

interface ClaimsOptions {
  readonly projection: string;
  /** Claims to one address that are looked at. */
  readonly most: number;
}

/**
 * All in one text, three lines a claim: which address it is to, its rank and support; its key; and the document. In the last
 * two no line ends, for both are JSON. A row for each would cost more to read than what is in it.
 */
const bestClaims = ({ projection, most }: ClaimsOptions): string => `
  select string_agg(
    asked.number || ' ' || claim.rank || ' ' || claim.support || E'\\n' || to_json(claim.key) || E'\\n'
      || convert_from(document.body, 'UTF8'), E'\\n') as claims
  from unnest($1::text[]) with ordinality asked (address, number)
    cross join lateral (
      select rank, support, key
      from (
        select rank, support, key from ${viewOf(projection)}_address
        where address = asked.address order by rank, support desc, key limit ${most}
      ) first
      order by rank fetch first 1 row with ties
    ) claim
    join ${viewOf(projection)} document using (key)`;

/**
 * Looks up the claims to an address of which none is better, with what they are made by. What is asked together shares a
 * statement.
 */
export function claimLookup(
  pool: Pool,
  options: ClaimsOptions,
): (address: string) => Promise<readonly Claim[]> {
  const text = bestClaims(options);
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<{ claims: string | null }>({
      name: `${options.projection}-claims`,
      text,
      values: [textArray(addresses)],
    });
    return readClaims(rows[0]?.claims ?? null, addresses);
  });
  return async (address) => (await find(address)) ?? [];
}

const LINES = 3;

/** The claims to each address that has any. */
function readClaims(text: string | null, addresses: readonly string[]): Map<string, Claim[]> {
  const found = new Map<string, Claim[]>();
  const lines = text?.split('\n') ?? [];
  for (let at = 0; at < lines.length; at += LINES) {
    const [numbers = '', key = '', document = ''] = lines.slice(at, at + LINES);
    const [number = 0, rank = 0, support = 0] = numbers.split(' ').map(Number);
    const address = addresses[number - 1] ?? '';
    const claim: Claim = { rank, support, key: JSON.parse(key), text: document };
    const others = found.get(address);
    if (others === undefined) found.set(address, [claim]);
    else others.push(claim);
  }
  return found;
}
