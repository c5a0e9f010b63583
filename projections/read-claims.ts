import type { Pool } from 'pg';
import { textArray } from '../db/arrays.ts';
import { batchedLookup } from '../db/batched-lookup.ts';
import { withoutSeconds } from './paired-claims.ts';
import type { SubjectRef } from './rows.ts';
import { viewOf } from './store/version.ts';

/** One of the best claims to an address, and the document that makes it. */
export interface Claim {
  readonly rank: number;
  readonly key: SubjectRef;
  /** The document as JSON text. */
  readonly text: string;
}

interface ClaimsOptions {
  readonly projection: string;
  /** Claims to one address that are looked at. */
  readonly most: number;
  /** Whether the claims may be paired, so that of a pair the first is enough. */
  readonly arePaired?: boolean;
}

/**
 * A query for the claims to an address of which none is better, with the documents that they are made by. The planner may
 * not turn it into a join, for which it would read every document.
 *
 * @param address an expression of SQL
 */
export function bestClaims({ projection, most, arePaired = false }: ClaimsOptions, address: string): string {
  const equal = `
    select rank, support, document
    from (
      select rank, support, document from ${viewOf(projection)}_address
      where address = ${address} order by rank, support desc, document limit ${most}
    ) first
    order by rank fetch first 1 row with ties`;
  return `
    select rank, support, key, body
    from (${arePaired ? withoutSeconds(equal) : equal}) claim
      cross join lateral (select key, body from ${viewOf(projection)} where id = claim.document offset 0) made_by`;
}

/**
 * A claim as text, three lines: whose it is, and its rank; its key; and the document. In the last two no line ends,
 * for both are JSON. Many are read from one text, since a row for each would cost more to read than what is in it.
 *
 * @param owner an expression of SQL, without white space in its value
 */
export const claimText = (owner: string): string =>
  `${owner} || ' ' || rank || E'\\n' || to_json(key) || E'\\n' || convert_from(body, 'UTF8')`;

/** The same for who has no claim. */
export const noClaimText = (owner: string): string => `${owner} || E'\\n\\n'`;

const LINES = 3;

/** Reads a text of claims with line ends between them, by whose they are. */
export function readClaims(text: string | null): Map<string, Claim[]> {
  const found = new Map<string, Claim[]>();
  const lines = text?.split('\n') ?? [];
  for (let at = 0; at < lines.length; at += LINES) {
    const [owner = '', rank] = lines[at]?.split(' ') ?? [];
    let claims = found.get(owner);
    if (claims === undefined) {
      claims = [];
      found.set(owner, claims);
    }
    if (rank === undefined) continue;
    claims.push({
      rank: Number(rank),
      key: JSON.parse(lines[at + 1] ?? ''),
      text: lines[at + 2] ?? '',
    });
  }
  return found;
}

/**
 * Looks up the claims to an address of which none is better, with what they are made by. What is asked together shares a
 * statement.
 */
export function claimLookup(
  pool: Pool,
  options: ClaimsOptions,
): (address: string) => Promise<readonly Claim[]> {
  const text = `
    select string_agg(${claimText('asked.number')}, E'\\n') as claims
    from unnest($1::text[]) with ordinality asked (address, number)
      cross join lateral (${bestClaims(options, 'asked.address')}) claim`;
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<{ claims: string | null }>({
      name: `${options.projection}-claims`,
      text,
      values: [textArray(addresses)],
    });
    const claims = readClaims(rows[0]?.claims ?? null);
    return new Map(addresses.map((address, index) => [address, claims.get(String(index + 1)) ?? NONE]));
  });
  return async (address) => (await find(address)) ?? NONE;
}

const NONE: readonly Claim[] = [];
