import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import {
  type EarlySpinner,
  type LeaderboardRow,
  type OneToWatch,
  TASTEMAKER_LISTS,
  TASTEMAKERS,
} from '../../../projections/tastemakers/rows.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { OnesToWatchBody, TastemakersBody, TastemakersQuery } from '../schemas/tastemakers.ts';
import { indexReader } from '../serving/read-index.ts';

const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

/** Whose circle tells who comes next, who that is, and which DJs play it early. */
export const tastemakersRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const read = indexReader(parts, TASTEMAKERS);

  app.get(
    '/api/v2/tastemakers',
    {
      schema: {
        operationId: 'getTastemakers',
        summary: 'Leaderboard of tastemakers, ones to watch and early spinners, from one snapshot',
        description:
          'An artist without a row of momentum has no tier of emergence, which the leaderboard calls for, and is left out of it however good a broker it is.',
        tags: ['discovery'],
        querystring: TastemakersQuery,
        response: { 200: TastemakersBody, ...errors },
      },
    },
    async (request, reply) => {
      const { rowsOf, about } = await read(TASTEMAKER_LISTS, request.query.limit);
      reply.header('cache-control', 'private, no-cache');
      return {
        leaderboard: rowsOf('leaderboard') as LeaderboardRow[],
        onesToWatch: rowsOf('onesToWatch') as OneToWatch[],
        earlySpinners: rowsOf('earlySpinners') as EarlySpinner[],
        ...about,
      };
    },
  );

  app.get(
    '/api/v2/tastemakers/ones-to-watch',
    {
      schema: {
        operationId: 'getOnesToWatch',
        summary: 'Artists who emerge and gain momentum, from the snapshot of the tastemakers',
        tags: ['discovery'],
        querystring: TastemakersQuery,
        response: { 200: OnesToWatchBody, ...errors },
      },
    },
    async (request, reply) => {
      const { rows, about } = await read(['onesToWatch'], request.query.limit);
      reply.header('cache-control', 'private, no-cache');
      return { items: rows as OneToWatch[], ...about };
    },
  );

  done();
};
