import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, invalidParameter } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { TracksBody, TracksQuery } from '../schemas/tracks.ts';
import { trackDiscovery } from '../serving/tracks/discover.ts';

/** Artists by the title of a track. */
export const tracksRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const discover = trackDiscovery(parts.readPool, parts.log);
  app.get(
    '/api/v2/tracks',
    {
      schema: {
        operationId: 'getTracks',
        summary: 'The artists who recorded a title, by the whole of it or a part',
        tags: ['tracks'],
        querystring: TracksQuery,
        response: { 200: TracksBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => {
      const query = request.query as TracksQuery;
      // As a part it is merely too short, which is an answer.
      if (query.title === '' && !query.fuzzy) throw invalidParameter('title', 'must not be empty');
      reply.header('cache-control', 'private, no-cache');
      return discover(query);
    },
  );
  done();
};
