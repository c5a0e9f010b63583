import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { TrackResolveQuery, TracksResolveBody, TracksResolveResults, wantsIn } from '../schemas/tracks.ts';
import { strictBody } from '../serving/strict-body.ts';
import { trackResolver } from '../serving/tracks/resolve-tracks.ts';

const response = { 200: TracksResolveResults, '4xx': ErrorBody, '5xx': ErrorBody };
/** One and many count alike. */
const config = { limit: 'trackResolve' } as const;

/** Lengths of tracks by artist and title, for up to 50 of them or for one. */
export const tracksResolveRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const resolve = trackResolver(parts.readPool, parts.log);
  app.get(
    '/api/v2/tracks/resolve',
    {
      config,
      schema: {
        operationId: 'resolveTrack',
        summary: 'The length of a track by artist and title',
        tags: ['tracks'],
        querystring: TrackResolveQuery,
        response,
      },
    },
    (request, reply) => {
      const { artist = null, title, want } = request.query;
      reply.header('cache-control', 'private, no-cache');
      return resolve([{ artist, title }], wantsIn(want));
    },
  );
  app.post(
    '/api/v2/tracks/resolve',
    {
      config,
      schema: {
        operationId: 'resolveTracks',
        summary: 'The lengths of up to 50 tracks by artist and title',
        tags: ['tracks'],
        body: TracksResolveBody,
        response,
      },
      validatorCompiler: strictBody,
    },
    (request, reply) => {
      const { tracks, want } = request.body;
      reply.header('cache-control', 'private, no-cache');
      return resolve(tracks, want);
    },
  );
  done();
};
