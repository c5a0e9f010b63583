import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { BreakoutItem, CORROBORATIONS, TIERS } from '../../../projections/models/breakouts/item.ts';
import { BREAKOUTS, listsOfFilter } from '../../../projections/models/breakouts/lists.ts';
import { ErrorBody } from '../../http/errors.ts';
import { cacheControlOf } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';
import { ClampedLimit, clampLimit, indexReader, snapshotFields } from './read-index.ts';

const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Optional(Type.Unsafe<V>({ type: 'string', enum: values, description }));

const BreakoutsQuery = Type.Object(
  {
    tier: oneOf(TIERS, 'Only artists of this emergence tier.'),
    corroboration: oneOf(
      CORROBORATIONS,
      'Only artists corroborated by the press, or only artists ahead of it.',
    ),
    limit: ClampedLimit,
  },
  { additionalProperties: false },
);

export const BreakoutsBody = Type.Object({
  items: Type.Array(BreakoutItem, { description: 'Artists by emergence, the highest first.' }),
  ...snapshotFields,
});

/** Artists who break out by bookings, compared with their press. */
export const breakoutsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  const read = indexReader(app, parts, BREAKOUTS);
  app.get(
    '/api/v2/breakouts',
    {
      schema: {
        operationId: 'listBreakouts',
        summary: 'Artists who break out by bookings, compared with their press',
        description:
          'Lists artists who break out by bookings, and says of each whether the press corroborates it. Without rows, state is empty; while the snapshot cannot be read, it is degraded. Every five minutes a new snapshot is published if momentum or press rows have changed, and at least once a day. An old snapshot means that publishing has stopped.',
        tags: ['discovery'],
        querystring: BreakoutsQuery,
        response: { 200: BreakoutsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const limit = clampLimit(request.query.limit);
      const { rows, about } = await read(listsOfFilter(request.query), limit);
      reply.header('cache-control', cacheControlOf(about.state));
      // Each list of the filter has up to `limit` rows.
      return { items: rows.slice(0, limit) as BreakoutItem[], ...about };
    },
  );
  done();
};
