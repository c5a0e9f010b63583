import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import pLimit from 'p-limit';
import type { Pool } from 'pg';
import {
  bareIdentity,
  NO_LOCATORS,
  type StoredIdentity,
} from '../../../projections/models/identity/identity.ts';
import { nameKey } from '../../../projections/models/identity/lookup-keys.ts';
import {
  type NearArtistLookup,
  nearArtistLookup,
  type OwnerLookup,
  type OwnerResult,
  ownerLookup,
} from '../../../projections/models/identity/read.ts';
import { type PerformerLookup, performerLookup } from '../../../projections/models/recording/read.ts';
import { ErrorBody } from '../../http/errors.ts';
import { sendJson } from '../../http/send-json.ts';
import type { QueryParts } from '../parts.ts';
import { idNote } from './id-note.ts';
import { chooseLocator, type Locator, parseLocator } from './locator.ts';
import { resolveLink } from './resolve-link.ts';
import { ResolveBody, ResolveQuery } from './schema.ts';

export const resolveRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const resolverOf = resolver(parts.readPool);
  app.get(
    '/api/v2/resolve',
    {
      config: { errors: ['missing_locator', 'invalid_locator'] },
      schema: {
        operationId: 'resolve',
        summary: 'Identity of a name, a pasted link, a structured id or a recording',
        description:
          'Converts one locator to the canonical identity: cluster id, slug and known foreign ids. An unresolved locator returns 200 with nulls. A name that ends without a cluster also returns up to 5 similar candidates. Give exactly one locator; isrc, or artist with track, outranks q. Links are never fetched.',
        tags: ['identity'],
        querystring: ResolveQuery,
        response: { 200: ResolveBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      attachValidation: true,
    },
    async (request, reply) => {
      const { query, validationError } = request;
      // Before schema validation: a missing locator is reported before any other error.
      const by = chooseLocator(query);
      if (validationError !== undefined) throw validationError;
      return sendJson(reply, await resolverOf()(parseLocator(by, query)));
    },
  );
  done();
};

/** @returns JSON of the form `ResolveBody` */
export type Resolve = (locator: Locator) => Promise<string>;

/** Concurrent statements for similar names, of all requests: fewer than the pool has connections. */
export const similarNamesLimit = pLimit(3);

/**
 * Makes a function that gives each request its `Resolve`. The locators of a request share statements. Quick statements are
 * shared across requests too; statements for similar names are slow, so no other request waits for them.
 */
export function resolver(pool: Pool): () => Resolve {
  const owner = ownerLookup(pool);
  const performer = performerLookup(pool);
  return () => {
    // Few requests need them.
    let similarNames: NearArtistLookup | null = null;
    const candidates: NearArtistLookup = (name) => {
      similarNames ??= nearArtistLookup(pool, similarNamesLimit);
      return similarNames(name);
    };
    const lookups: Lookups = { owner, performer, candidates };
    return (locator) => resolveLocator(locator, lookups);
  };
}

interface Lookups {
  readonly owner: OwnerLookup;
  readonly performer: PerformerLookup;
  readonly candidates: NearArtistLookup;
}

async function resolveLocator(locator: Locator, lookups: Lookups): Promise<string> {
  switch (locator.by) {
    case 'url': {
      const { found, ...rest } = await resolveLink(locator.link, lookups.owner);
      return bodyText(found.identity, { resolved_from: 'url', ...rest });
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
  const found = await owner(nameKey(name));
  const { identity } = found;
  const match: MatchDetails = { resolved_from: 'name', ...(identity === null ? {} : { matched_on: 'name' }) };
  if (identity !== null && identity.clusterId !== null) return bodyText(identity, match);
  return bodyText(identity, { ...match, note: nameNote(found), candidates: [...(await candidates(name))] });
}

function nameNote({ identity, isAmbiguous }: OwnerResult): string {
  if (identity !== null) return 'The artist is in the catalogue, but no cluster is bound to it alone.';
  return isAmbiguous
    ? 'Several artists match this name equally well, so none was chosen.'
    : 'No artist has exactly this name.';
}

type IdLocator = Extract<Locator, { by: 'cluster' | 'catalog' | 'mbid' }>;

async function resolveId({ by, lookupKey, note }: IdLocator, { owner }: Lookups): Promise<string> {
  const found = lookupKey === null ? null : await owner(lookupKey);
  const remark = lookupKey === null || found === null ? note : await idNote({ by, lookupKey, found, owner });
  return bodyText(found?.identity ?? null, {
    resolved_from: 'locator',
    ...(found?.identity ? { matched_on: by } : {}),
    ...(remark === undefined ? {} : { note: remark }),
  });
}

type RecordingLocator = Extract<Locator, { by: 'isrc' | 'artist_track' }>;

/** The performer of a recording: the catalogue artist if there is one, else the booking-graph cluster. */
async function resolveRecording(
  { by, lookupKey }: RecordingLocator,
  { performer }: Lookups,
): Promise<string> {
  const found = lookupKey === null ? null : await performer(lookupKey);
  if (found === null || found.artist === null) {
    const note = found?.isAmbiguous ? SEVERAL_PERFORMERS[by] : NO_RECORDING[by];
    return bodyText(null, { resolved_from: 'locator', note });
  }
  const { artist, identity } = found;
  const match: MatchDetails = { resolved_from: 'locator', matched_on: by };
  if (identity !== null) return bodyText(identity, match);
  const text = JSON.stringify(bareIdentity(artist));
  return bodyText(
    { text },
    { ...match, note: 'The recording names this cluster, and no source has more data about it.' },
  );
}

const NO_RECORDING = {
  isrc: 'No recording has this ISRC.',
  artist_track: 'No recording has this title and exactly this artist credit.',
} as const;
const SEVERAL_PERFORMERS = {
  isrc: 'Recordings of several artists match this ISRC equally well, so none was chosen.',
  artist_track:
    'Recordings of several artists of this name match the title equally well, so none was chosen.',
} as const;

/** How an identity was found. */
type MatchDetails = Pick<ResolveBody, 'resolved_from' | 'matched_on' | 'note' | 'parsed' | 'candidates'>;

const UNRESOLVED = JSON.stringify({
  cluster_id: null,
  slug: null,
  display: null,
  locators: NO_LOCATORS,
  resolved_via: null,
});

/** The response reuses the stored text of the identity without parsing it. */
const bodyText = (identity: Pick<StoredIdentity, 'text'> | null, match: MatchDetails): string =>
  `${(identity?.text ?? UNRESOLVED).slice(0, -1)},${JSON.stringify(match).slice(1)}`;
