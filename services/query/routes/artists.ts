import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { ArtistsBody, ArtistsQuery } from '../schemas/artists.ts';
import { artistBrowser } from '../serving/browse-artists.ts';
import { readNulls } from '../serving/null-parameters.ts';

export const artistsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const browse = artistBrowser(parts.readPool, parts.log);
  app.get(
    '/api/v2/artists',
    {
      schema: {
        tags: ['artist'],
        operationId: 'browseArtists',
        summary: 'Artists of a genre, a style or a tier of emergence',
        querystring: ArtistsQuery,
        response: { 200: ArtistsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      preValidation: (request, _reply, next) => {
        readNulls(request.query, ['offset']);
        next();
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'private, no-cache');
      return browse(request.query);
    },
  );
  done();
};
