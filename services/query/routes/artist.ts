import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unresolvedArtist } from '../../../projections/artist/dossier.ts';
import { frameText } from '../../../projections/artist/project.ts';
import { artistReader, type StoredDossier } from '../../../projections/artist/read.ts';
import { encodeFrame, frameHash } from '../../../projections/frame/frame.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { ArtistDossierBody, ArtistQuery, envelopeNames } from '../schemas/artist.ts';
import { type ArtistKey, parseArtistKey } from '../serving/artist-key.ts';
import { dossierSender } from '../serving/dossier-sender.ts';
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
  const reader = artistReader(parts.readPool);
  const sender = dossierSender(envelopeNames, parts.staleness, parts.now);

  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    key: ArtistKey,
    fields: string | undefined,
  ): Promise<void> => {
    const selection = fields === undefined ? null : parseFields(fields, request.url.split('?', 1)[0] ?? '');
    // A client that holds the dossier may be answered without reading it.
    if (request.headers['if-none-match'] !== undefined) {
      const hash = await reader.hash(key);
      if (hash !== null && !reply.sent && sender.sendUnchanged(request, reply, hash, selection)) return;
    }
    const stored = await reader.dossier(key);
    // The deadline may have answered meanwhile.
    if (!reply.sent) sender.send(request, reply, stored ?? unresolved(key), selection);
  };

  function unresolved({ isCluster, value }: ArtistKey): StoredDossier {
    const text = frameText(unresolvedArtist(value, isCluster), parts.registry);
    return { hash: frameHash(text, ''), frame: encodeFrame(text) };
  }

  app.get(
    '/api/v2/artist/:key',
    {
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
