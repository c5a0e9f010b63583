import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unresolvedArtist } from '../../../projections/artist/dossier.ts';
import { frameDossier } from '../../../projections/dossier.ts';
import { byAddress, byKey, dossierLookup } from '../../../projections/read-dossiers.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { ArtistDossierBody, ArtistQuery, envelopeNames } from '../schemas/artist.ts';
import { answerDossier } from '../serving/answer-dossier.ts';
import { parseArtistKey } from '../serving/artist-key.ts';
import { dossierSender } from '../serving/dossier-sender.ts';
import type { EntityKey } from '../serving/entity-key.ts';
import { parseFields } from '../serving/fields.ts';

const schema = {
  tags: ['artist'],
  querystring: ArtistQuery,
  response: {
    200: ArtistDossierBody,
    304: Type.Null(),
    '4xx': ErrorBody,
    '5xx': ErrorBody,
  },
};

export const artistRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const byClusterId = dossierLookup(parts.readPool, 'artist-by-key', byKey('artist'));
  const bySlug = dossierLookup(parts.readPool, 'artist-by-slug', byAddress('artist'));
  const sender = dossierSender(parts.staleness, parts.now, envelopeNames);

  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    { isCluster, value }: EntityKey,
    fields: string | undefined,
  ): Promise<void> =>
    answerDossier(
      { request, reply, sender },
      isCluster ? byClusterId : bySlug,
      isCluster ? `artist:${value}` : value,
      () => frameDossier(unresolvedArtist(value, isCluster), parts.registry),
      fields === undefined ? null : parseFields(fields, request.url.split('?', 1)[0] ?? ''),
    );

  app.get(
    '/api/v2/artist/:key',
    {
      config: { sendsStoredBytes: true },
      schema: {
        ...schema,
        operationId: 'getArtist',
        summary: 'Artist dossier, by cluster id or slug',
        params: Type.Object({
          key: Type.String({
            description: 'Cluster id of 64 hex digits, or slug.',
          }),
        }),
      },
    },
    (request, reply) =>
      answer(request, reply, parseArtistKey(request.params.key, 'key'), request.query.fields),
  );

  app.get(
    '/api/v2/dossier/artist/:slug',
    {
      config: { sendsStoredBytes: true },
      schema: {
        ...schema,
        operationId: 'getArtistDossier',
        summary: 'Artist dossier; the same as /api/v2/artist/{key}',
        params: Type.Object({
          slug: Type.String({
            description: 'Slug, or cluster id of 64 hex digits.',
          }),
        }),
      },
    },
    (request, reply) =>
      answer(request, reply, parseArtistKey(request.params.slug, 'slug'), request.query.fields),
  );

  done();
};
