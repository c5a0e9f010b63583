import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import { withoutSeconds } from './paired-candidates.ts';
import type { SubjectRef } from './rows.ts';
import { viewOf } from './store/version.ts';

/** One of the best candidates for a lookup key. */
export interface LookupCandidate {
  readonly rank: number;
  readonly key: SubjectRef;
  /** The document as JSON text. */
  readonly text: string;
}

interface CandidatesOptions {
  readonly projection: string;
  /** Candidates read per lookup key. */
  readonly max: number;
  /** Whether candidates may be pairs, of which the first is enough. */
  readonly arePaired?: boolean;
  /** Reads only candidates of these ranks, the first to the last. */
  readonly ranks?: readonly [number, number];
}

/**
 * A query for the candidates of the best rank for a lookup key, with their documents. `offset 0` keeps the planner from a
 * join that reads every document.
 *
 * @param lookupKey SQL expression
 */
export function bestCandidates(
  { projection, max, arePaired = false, ranks }: CandidatesOptions,
  lookupKey: string,
): string {
  const hasRank = ranks === undefined ? '' : ` and rank between ${ranks.join(' and ')}`;
  const equal = `
    select rank, support, document
    from (
      select rank, support, document from ${viewOf(projection)}_address
      where address = ${lookupKey}${hasRank} order by rank, support desc, document limit ${max}
    ) first
    order by rank fetch first 1 row with ties`;
  return `
    select rank, support, key, body
    from (${arePaired ? withoutSeconds(equal) : equal}) candidate
      cross join lateral (select key, body from ${viewOf(projection)} where id = candidate.document offset 0) made_by`;
}

/**
 * SQL for a candidate as three lines of text: owner and rank, key, document. Key and document are JSON without line ends.
 * Many candidates come as one text, because node-pg takes longer to read a row than its content.
 *
 * @param owner SQL expression whose value has no white space
 */
export const candidateText = (owner: string): string =>
  `${owner} || ' ' || rank || E'\\n' || to_json(key) || E'\\n' || convert_from(body, 'UTF8')`;

/** SQL for an owner without candidates, likewise. */
export const noCandidateText = (owner: string): string => `${owner} || E'\\n\\n'`;

const LINES = 3;

/** Reads candidates from such texts joined by line ends, by owner. */
export function readCandidates(text: string | null): Map<string, LookupCandidate[]> {
  const found = new Map<string, LookupCandidate[]>();
  const lines = text?.split('\n') ?? [];
  for (let at = 0; at < lines.length; at += LINES) {
    const [owner = '', rank] = lines[at]?.split(' ') ?? [];
    let candidates = found.get(owner);
    if (candidates === undefined) {
      candidates = [];
      found.set(owner, candidates);
    }
    if (rank === undefined) continue;
    candidates.push({
      rank: Number(rank),
      key: JSON.parse(lines[at + 1] ?? ''),
      text: lines[at + 2] ?? '',
    });
  }
  return found;
}

/**
 * Looks up the candidates of the best rank for a lookup key, with their documents. Lookups of one tick share a statement.
 */
export function candidateLookup(
  pool: Pool,
  options: CandidatesOptions,
): (key: string) => Promise<readonly LookupCandidate[]> {
  const text = `
    select string_agg(${candidateText('requested.number')}, E'\\n') as candidates
    from unnest($1::text[]) with ordinality requested (address, number)
      cross join lateral (${bestCandidates(options, 'requested.address')}) candidate`;
  const find = batchedLookup(async (keys) => {
    const { rows } = await pool.query<{ candidates: string | null }>({
      name: [`${options.projection}-lookup-candidates`, ...(options.ranks ?? [])].join('-'),
      text,
      values: [textArray(keys)],
    });
    const candidates = readCandidates(rows[0]?.candidates ?? null);
    return new Map(keys.map((key, index) => [key, candidates.get(String(index + 1)) ?? NONE]));
  });
  return async (key) => (await find(key)) ?? NONE;
}

const NONE: readonly LookupCandidate[] = [];
