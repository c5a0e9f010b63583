import type { Pool } from 'pg';
import { takeTurns } from '../../../db/take-turns.ts';
import { bareIdentity, NO_LOCATORS, type StoredIdentity } from '../../../projections/identity/answer.ts';
import { nameAddress } from '../../../projections/identity/claims.ts';
import {
  type CandidateLookup,
  candidateLookup,
  type Found,
  type OwnerLookup,
  ownerLookup,
} from '../../../projections/identity/read.ts';
import { type PerformerLookup, performerLookup } from '../../../projections/recording/read.ts';
import type { ResolveBody } from '../schemas/resolve.ts';
import { idNote } from './id-note.ts';
import type { Locator } from './locator.ts';
import { resolveLink } from './resolve-link.ts';

/** @returns JSON of the form `ResolveBody` */
export type Resolve = (locator: Locator) => Promise<string>;

/** Statements for names that are near, of all requests together: fewer than the pool has connections. */
const NEAR_AT_ONCE = 3;

/**
 * Gives each request what it resolves its locators with. They share their statements, of which there are few whatever
 * their number, and with other requests those that are quick; names that are near take longer, and nobody else waits
 * for them.
 */
export function resolver(pool: Pool): () => Resolve {
  const owner = ownerLookup(pool);
  const performer = performerLookup(pool);
  const inTurn = takeTurns(NEAR_AT_ONCE);
  return () => {
    // Few requests need them.
    let near: CandidateLookup | null = null;
    const candidates: CandidateLookup = (name) => {
      near ??= candidateLookup(pool, inTurn);
      return near(name);
    };
    const lookups: Lookups = { owner, performer, candidates };
    return (locator) => resolveLocator(locator, lookups);
  };
}

interface Lookups {
  readonly owner: OwnerLookup;
  readonly performer: PerformerLookup;
  readonly candidates: CandidateLookup;
}

async function resolveLocator(locator: Locator, lookups: Lookups): Promise<string> {
  switch (locator.by) {
    case 'url': {
      const { found, ...rest } = await resolveLink(locator.link, lookups.owner);
      return answerOf(found.identity, { resolved_from: 'url', ...rest });
    }
    case 'q':
      return resolveName(locator.name, lookups);
    case 'isrc':
    case 'artist_track':
      return resolveRecording(locator, lookups);
    default:
      return resolveId(locator, lookups);
  }
}

async function resolveName(name: string, { owner, candidates }: Lookups): Promise<string> {
  const found = await owner(nameAddress(name));
  const { identity } = found;
  const how: How = { resolved_from: 'name', ...(identity === null ? {} : { matched_on: 'name' }) };
  if (identity !== null && identity.clusterId !== null) return answerOf(identity, how);
  return answerOf(identity, { ...how, note: nameNote(found), candidates: [...(await candidates(name))] });
}

function nameNote({ identity, isAmbiguous }: Found): string {
  if (identity !== null) return 'The artist is in the catalogue; no cluster is bound to it alone.';
  return isAmbiguous
    ? 'Several artists have an equal claim to this name, so that none was chosen.'
    : 'No artist of exactly this name is known.';
}

type IdLocator = Extract<Locator, { by: 'cluster' | 'catalog' | 'mbid' }>;

async function resolveId({ by, address, note }: IdLocator, { owner }: Lookups): Promise<string> {
  const found = address === null ? null : await owner(address);
  const remark = address === null || found === null ? note : idNote(by, address, found);
  return answerOf(found?.identity ?? null, {
    resolved_from: 'locator',
    ...(found?.identity ? { matched_on: by } : {}),
    ...(remark === undefined ? {} : { note: remark }),
  });
}

type RecordingLocator = Extract<Locator, { by: 'isrc' | 'artist_track' }>;

/** The catalogue's word on who the performer is comes before the booking graph's. */
async function resolveRecording({ by, address }: RecordingLocator, { performer }: Lookups): Promise<string> {
  const found = address === null ? null : await performer(address);
  if (found === null || found.artist === null) {
    const note = found?.isAmbiguous ? SEVERAL_PERFORMERS[by] : NO_RECORDING[by];
    return answerOf(null, { resolved_from: 'locator', note });
  }
  const { artist, identity } = found;
  const how: How = { resolved_from: 'locator', matched_on: by };
  if (identity !== null) return answerOf(identity, how);
  const text = JSON.stringify(bareIdentity(artist));
  return answerOf({ text }, { ...how, note: 'The recording names this cluster; no source says more of it.' });
}

const NO_RECORDING = {
  isrc: 'No recording with this ISRC is known.',
  artist_track: 'No recording of this title is known under exactly this artist credit.',
} as const;
const SEVERAL_PERFORMERS = {
  isrc: 'Recordings of several artists have an equal claim to this ISRC, so that none was chosen.',
  artist_track:
    'Recordings of several artists of this name have an equal claim to the title, so that none was chosen.',
} as const;

/** What an answer says of how it was found, beside whom. */
type How = Pick<ResolveBody, 'resolved_from' | 'matched_on' | 'note' | 'parsed' | 'candidates'>;

const NOBODY = JSON.stringify({
  cluster_id: null,
  slug: null,
  display: null,
  locators: NO_LOCATORS,
  resolved_via: null,
});

/** An identity is answered in the text that it is stored in, neither read nor written anew. */
const answerOf = (identity: Pick<StoredIdentity, 'text'> | null, how: How): string =>
  `${(identity?.text ?? NOBODY).slice(0, -1)},${JSON.stringify(how).slice(1)}`;
