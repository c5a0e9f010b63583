import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import {
  EarlySpinner,
  LeaderboardRow,
  OneToWatch,
  TASTEMAKER_LISTS,
  TASTEMAKERS,
} from '../../../projections/models/tastemakers/rows.ts';
import { ErrorBody } from '../../http/errors.ts';
import { cacheControlOf } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';
import { indexReader, Limit, snapshotFields } from './read-index.ts';

const TastemakersQuery = Type.Object({ limit: Limit }, { additionalProperties: false });

export const TastemakersBody = Type.Object({
  leaderboard: Type.Array(LeaderboardRow, {
    description:
      'Artists whose network predicts emerging artists. Only artists with known brokerage, network and momentum are ranked.',
  }),
  onesToWatch: Type.Array(OneToWatch, { description: 'Artists who emerge and gain momentum.' }),
  earlySpinners: Type.Array(EarlySpinner, { description: 'DJs who play music early.' }),
  ...snapshotFields,
});

export const OnesToWatchBody = Type.Object({
  items: Type.Array(OneToWatch, { description: 'Artists who emerge and gain momentum.' }),
  ...snapshotFields,
});

const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

/** Tastemakers, the artists they point to, and the DJs who play music early. */
export const tastemakersRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const read = indexReader(app, parts, TASTEMAKERS);

  app.get(
    '/api/v2/tastemakers',
    {
      schema: {
        operationId: 'getTastemakers',
        summary: 'Leaderboard of tastemakers, ones to watch and early spinners, from one snapshot',
        description:
          'Returns three lists of one snapshot, each with at most limit rows. The leaderboard needs an emergence tier, so it leaves out artists without a momentum row. Without rows, state is empty; while the snapshot cannot be read, it is degraded. A snapshot of more than 7 days is stale.',
        tags: ['discovery'],
        querystring: TastemakersQuery,
        response: { 200: TastemakersBody, ...errors },
      },
    },
    async (request, reply) => {
      const { rowsOf, about } = await read(TASTEMAKER_LISTS, request.query.limit);
      reply.header('cache-control', cacheControlOf(about.state));
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
        description:
          'Lists artists who emerge and gain momentum: the list onesToWatch of GET /api/v2/tastemakers alone. A count is null where no source has it. Without rows, state is empty; while the snapshot cannot be read, it is degraded.',
        tags: ['discovery'],
        querystring: TastemakersQuery,
        response: { 200: OnesToWatchBody, ...errors },
      },
    },
    async (request, reply) => {
      const { rows, about } = await read(['onesToWatch'], request.query.limit);
      reply.header('cache-control', cacheControlOf(about.state));
      return { items: rows as OneToWatch[], ...about };
    },
  );

  done();
};
