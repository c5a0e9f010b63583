import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Static } from '@sinclair/typebox';
import type { Pool } from 'pg';
import type { Identity } from '../../../projections/identity/answer.ts';
import { findByLocator, findByName, findCandidates } from '../../../projections/identity/read.ts';
import { artistPath } from '../../../projections/links.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { ResolveBody, ResolveQuery } from '../schemas/resolve.ts';
import { chooseLocator, type Locator, parseLocator } from '../serving/locator.ts';

type ResolveAnswer = Static<typeof ResolveBody>;

export const resolveRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  app.get(
    '/api/v2/resolve',
    {
      schema: {
        operationId: 'resolve',
        summary: 'The identity that a name or a structured id stands for',
        tags: ['identity'],
        querystring: ResolveQuery,
        response: { 200: ResolveBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      // Before the schema speaks: without a locator, what else was sent does not matter.
      preValidation: (request, _reply, next) => {
        chooseLocator({ ...request.query });
        next();
      },
    },
    async (request, reply) => {
      const kind = chooseLocator(request.query);
      const locator = parseLocator(kind, request.query[kind] ?? '');
      reply.header('cache-control', 'private, no-cache');
      return locator.matchedOn === 'name'
        ? resolveName(parts.readPool, locator.name)
        : resolveId(parts.readPool, locator);
    },
  );
  done();
};

async function resolveName(pool: Pool, name: string): Promise<ResolveAnswer> {
  const { identity, isAmbiguous } = await findByName(pool, name);
  const answer: ResolveAnswer = {
    ...answerOf(identity),
    resolved_from: 'name',
    ...(identity === null ? {} : { matched_on: 'name' }),
  };
  if (answer.cluster_id !== null) return answer;
  const note = noteOf(identity, isAmbiguous);
  return { ...answer, note, candidates: await findCandidates(pool, name) };
}

function noteOf(identity: Identity | null, isAmbiguous: boolean): string {
  if (identity !== null) return 'The artist is in the catalogue; no cluster is bound to it alone.';
  return isAmbiguous
    ? 'Several artists have an equal claim to this name, so that none was chosen.'
    : 'No artist of exactly this name is known.';
}

async function resolveId(
  pool: Pool,
  locator: Exclude<Locator, { matchedOn: 'name' }>,
): Promise<ResolveAnswer> {
  const { address, matchedOn } = locator;
  const found = address === null ? null : await findByLocator(pool, address);
  const identity = found?.identity ?? null;
  if (identity !== null)
    return {
      ...answerOf(identity),
      resolved_from: 'locator',
      matched_on: matchedOn,
    };
  const note =
    locator.note ??
    (found?.isAmbiguous
      ? 'Several artists have an equal claim to this id.'
      : `No artist has this ${matchedOn} id.`);
  return { ...answerOf(null), resolved_from: 'locator', note };
}

type Found = Omit<ResolveAnswer, 'resolved_from'>;

const NOBODY: Found = {
  cluster_id: null,
  slug: null,
  display: null,
  locators: {
    catalog: null,
    mbid: null,
    storefront: [],
    audioshare: [],
    photoshare: [],
    streaming: [],
    videoshare: [],
    website: [],
  },
  resolved_via: null,
};

function answerOf(identity: Identity | null): Found {
  if (identity === null) return NOBODY;
  const { cluster_id, slug } = identity;
  const key = cluster_id ?? slug;
  if (key === null) return identity;
  return {
    ...identity,
    _links: {
      artist: artistPath(key),
      artist_dossier_by_slug: slug === null ? null : `/api/v2/dossier/artist/${encodeURIComponent(slug)}`,
    },
  };
}
