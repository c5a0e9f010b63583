import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { ErrorBody } from '../../http/errors.ts';
import { COSTLY } from '../../http/fair-queue.ts';
import { cacheControlOf, softReader } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';
import { TracksResolveResults, trackResolver, WANTS, type Want } from './resolve-tracks.ts';

const MOST_TRACKS = 50;
const MAX_TITLE_LENGTH = 300;
const MAX_ARTIST_LENGTH = 1_000;

/** A list of types, so that validation confuses null and the empty text in neither direction. */
const nullable = <T>(
  type: 'string' | 'integer' | 'number',
  options: { description: string; maxLength?: number },
) => Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'], ...options }));

const Title = Type.String({ minLength: 1, maxLength: MAX_TITLE_LENGTH });
const ARTIST = {
  maxLength: MAX_ARTIST_LENGTH,
  description:
    'Artist as credited. A blank or a placeholder such as "unknown artist" looks up the title alone, on the storefront only.',
};

const TracksResolveBody = Type.Object(
  {
    want: Type.Optional(
      Type.Array(Type.Unsafe<Want>({ type: 'string', enum: WANTS }), {
        description: 'Requested data (default: duration).',
      }),
    ),
    tracks: Type.Array(
      Type.Object(
        {
          artist: nullable<string>('string', ARTIST),
          title: Title,
          year: nullable<number>('integer', { description: 'Accepted, not used.' }),
          duration_hint_s: nullable<number>('number', { description: 'Accepted, not used.' }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MOST_TRACKS },
    ),
  },
  { additionalProperties: false },
);

const LIST = `^(?:${WANTS.join('|')})(?:,(?:${WANTS.join('|')}))*$`;

const TrackResolveQuery = Type.Object(
  {
    artist: Type.Optional(Type.String(ARTIST)),
    title: Title,
    want: Type.Optional(
      Type.Array(Type.String({ pattern: LIST }), {
        description: 'Requested data, separated by commas (default: duration).',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The data that the query of one track requests. */
const wantsIn = (want: readonly string[] | undefined): Want[] | undefined =>
  want?.flatMap((list) => WANTS.filter((known) => list.split(',').includes(known)));

const response = { 200: TracksResolveResults, '4xx': ErrorBody, '5xx': ErrorBody };
/** A request counts once, for one track or many. */
const config = { limit: 'trackResolve' } as const;

const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true });
/** Validates a body without coercion: JSON has types, so a value of another type is a fault. */
const strictBody: FastifySchemaCompiler<object> = ({ schema }) => ajv.compile(schema);

/** Lengths of tracks by artist and title, for one track or up to 50. */
export const tracksResolveRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const { leftMs } = app.inFlight;
  const resolve = trackResolver(parts.readPool, softReader({ log: parts.log, what: 'tracks', leftMs }));
  app.get(
    '/api/v2/tracks/resolve',
    {
      config,
      schema: {
        operationId: 'resolveTrack',
        summary: 'Length of a track by artist and title',
        description:
          'Returns the length of one track in whole seconds, from the storefront or the metadata database. Without a match, matched is false: a coverage gap, not an error. A fingerprint is never on file, so that want is listed as unsupported. The route shares a limit of its own with POST /api/v2/tracks/resolve.',
        tags: ['tracks'],
        querystring: TrackResolveQuery,
        response,
      },
    },
    async (request, reply) => {
      const { artist = null, title, want } = request.query;
      const body = await resolve([{ artist, title }], wantsIn(want));
      reply.header('cache-control', cacheControlOf(body.state));
      return body;
    },
  );
  app.post(
    '/api/v2/tracks/resolve',
    {
      config: { ...config, cost: COSTLY, errors: ['invalid_query'] },
      schema: {
        operationId: 'resolveTracks',
        summary: 'Lengths of up to 50 tracks by artist and title',
        description:
          'Returns the lengths of up to 50 tracks in whole seconds; query_index is the position of each in the request. A track without a match has matched false: a coverage gap, not an error. While a source cannot be read, state is degraded and matches may be missing. The request counts once against the limit of its own that it shares with GET.',
        tags: ['tracks'],
        body: TracksResolveBody,
        response,
      },
      validatorCompiler: strictBody,
    },
    async (request, reply) => {
      const { tracks, want } = request.body;
      const body = await resolve(tracks, want);
      reply.header('cache-control', cacheControlOf(body.state));
      return body;
    },
  );
  done();
};
