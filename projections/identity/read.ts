import type { Pool } from 'pg';
import type { Identity } from './answer.ts';
import { normalizeName } from './name.ts';
import { ADDRESS_NAME, NEAR_NAMES } from './near-names.ts';

/** An artist of the booking graph whose name is close to the one asked for. */
export interface Candidate {
  readonly cluster_id: string;
  readonly name: string;
  readonly tier: 'cluster';
  readonly distinct_events: number;
}

/** What a question for an identity came to: one artist, none, or several with an equal claim. */
export interface Found {
  readonly identity: Identity | null;
  /** Whether several artists have an equal claim, so that none was chosen. */
  readonly isAmbiguous: boolean;
}

const OWNERS = `
  select rank, key, convert_from(body, 'UTF8') as identity
  from read.identity_address join read.identity using (key)
  where address = $1 order by rank, support desc, key limit 2`;

const MAX_CANDIDATES = 5;

/** Names that share less are other names. */
const MIN_SIMILARITY = 0.4;

const CANDIDATES = `
  select support, convert_from(body, 'UTF8') as identity
  from read.identity_address join read.identity using (key)
  where ${NEAR_NAMES} and ${ADDRESS_NAME} % $1 and similarity(${ADDRESS_NAME}, $1) >= ${MIN_SIMILARITY}
  order by similarity(${ADDRESS_NAME}, $1) desc, support desc, key limit ${MAX_CANDIDATES}`;

/** The artist that a structured id names. @param address `cluster:<hex>`, `catalog:<id>` or `mbid:<uuid>` */
export async function findByLocator(pool: Pool, address: string): Promise<Found> {
  return find(pool, address);
}

/** The artist of exactly this name, case and white space aside. */
export async function findByName(pool: Pool, name: string): Promise<Found> {
  return find(pool, `name:${normalizeName(name)}`);
}

async function find(pool: Pool, address: string): Promise<Found> {
  const { rows } = await pool.query<{ rank: number; identity: string }>({
    name: 'identity-owners',
    text: OWNERS,
    values: [address],
  });
  const [first, second] = rows;
  if (first === undefined) return { identity: null, isAmbiguous: false };
  if (second !== undefined && second.rank === first.rank) return { identity: null, isAmbiguous: true };
  return { identity: JSON.parse(first.identity), isAmbiguous: false };
}

/** Without a letter or digit there is nothing to compare, which would take a look at every name. */
const COMPARABLE = /[\p{L}\p{N}]/u;

/** Artists of the booking graph with a name close to `name`, the closest first; at most 5. */
export async function findCandidates(pool: Pool, name: string): Promise<Candidate[]> {
  const normalized = normalizeName(name);
  if (!COMPARABLE.test(normalized)) return [];
  const { rows } = await pool.query<{ support: number; identity: string }>({
    name: 'identity-candidates',
    text: CANDIDATES,
    values: [normalized],
  });
  return rows.map(({ support, identity }) => {
    const { cluster_id, display } = JSON.parse(identity) as Identity;
    return {
      cluster_id: cluster_id ?? '',
      name: display ?? '',
      tier: 'cluster',
      distinct_events: support,
    };
  });
}
