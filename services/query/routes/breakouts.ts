import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { BreakoutItem } from '../../../projections/breakouts/item.ts';
import { BREAKOUTS, listsOfFilter } from '../../../projections/breakouts/lists.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { BreakoutsBody, BreakoutsQuery } from '../schemas/breakouts.ts';
import { clampLimit } from '../schemas/discovery.ts';
import { indexReader } from '../serving/read-index.ts';

/** Artists who break out by bookings, held against the press. */
export const breakoutsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const read = indexReader(parts, BREAKOUTS);
  app.get(
    '/api/v2/breakouts',
    {
      schema: {
        operationId: 'listBreakouts',
        summary: 'Artists who break out by bookings, held against the press',
        description:
          'Looked at every five minutes: a snapshot is published where a row of momentum or press has changed, and on every day all the same. An old one tells that this has ceased.',
        tags: ['discovery'],
        querystring: BreakoutsQuery,
        response: { 200: BreakoutsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const limit = clampLimit(request.query.limit);
      const { rows, about } = await read(listsOfFilter(request.query), limit);
      reply.header('cache-control', 'private, no-cache');
      // The lists of a filter each give as many as are asked for in all.
      return { items: rows.slice(0, limit) as BreakoutItem[], ...about };
    },
  );
  done();
};
