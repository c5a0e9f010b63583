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

/**
 * The best claims to addresses of recordings, and who the performers are that these name: a record each, told apart by a character
 * that JSON does not hold as it is.
 */
const PERFORMERS = `
  select string_agg(
    number || ' ' || claim.support || E'\\n' || convert_from(claim.body, 'UTF8') || coalesce(E'\\n' || performers.identities, ''),
    E'\\x1e') as records
  from unnest($1::text[]) with ordinality asked (address, number)
    cross join lateral (${bestClaims(RECORDING_CLAIMS, 'asked.address')}) claim
    cross join lateral (
      select ${claimsText('performer.id')} as identities
      from json_object_keys(convert_from(claim.body, 'UTF8')::json) performer (id)
        cross join lateral (${bestClaims(IDENTITY_CLAIMS, `'${artistAddress('')}' || performer.id`)}) identity
    ) performers`;

const RECORD_END = '\x1e';

/** One of the best claims to an address, and the claims to be those whom it names. */
interface RecordingClaim {
  readonly support: number;
  readonly performers: Performers;
  readonly identities: ReadonlyMap<string, readonly Claim[]>;
}

/** Reads records, by the number of the address that they are for. */
function readRecords(records: string | null): Map<string, RecordingClaim[]> {
  const found = new Map<string, RecordingClaim[]>();
  for (const record of records?.split(RECORD_END) ?? []) {
    const headEnd = record.indexOf('\n');
    const bodyEnd = record.indexOf('\n', headEnd + 1);
    const [number = '', support] = record.slice(0, headEnd).split(' ');
    const claim: RecordingClaim = {
      support: Number(support),
      performers: JSON.parse(record.slice(headEnd + 1, bodyEnd < 0 ? undefined : bodyEnd)),
      identities: readClaims(bodyEnd < 0 ? null : record.slice(bodyEnd + 1)),
    };
    const others = found.get(number);
    if (others === undefined) found.set(number, [claim]);
    else others.push(claim);
  }
  return found;
}

export type PerformerLookup = (address: string) => Promise<Performer>;

/**
 * Looks performers up by the address of a recording. What is asked together shares a statement. Of several artists the
 * one whose recording is on most releases is answered, and none where two are on equally many.
 */
export function performerLookup(pool: Pool): PerformerLookup {
  const find = batchedLookup(async (addresses) => {
    const { rows } = await pool.query<{ records: string | null }>({
      name: 'recording-performers',
      text: PERFORMERS,
      values: [textArray(addresses)],
    });
    const claims = readRecords(rows[0]?.records ?? null);
    return new Map(
      addresses.map((address, index) => [address, performerOf(address, claims.get(String(index + 1)) ?? [])]),
    );
  });
  return async (address) => (await find(address)) ?? NOBODY;
}

const NOBODY: Performer = { artist: null, identity: null, isAmbiguous: false };

function performerOf(address: string, best: readonly RecordingClaim[]): Performer {
  const releases = new Map<string, number>();
  for (const { support, performers } of best) {
    for (const [artist, own] of Object.entries(performers)) {
      const count = own === null ? support : own[address];
      if (count !== undefined) releases.set(artist, Math.max(count, releases.get(artist) ?? 0));
    }
  }
  const [first, second] = [...releases].sort(([, a], [, b]) => b - a);
  if (first === undefined) return NOBODY;
  if (second !== undefined && second[1] === first[1]) return { ...NOBODY, isAmbiguous: true };
  const [artist] = first;
  const identities = best.find((claim) => claim.identities.has(artist))?.identities.get(artist) ?? [];
  return { artist, identity: ownerOf(identities).identity, isAmbiguous: false };
}
