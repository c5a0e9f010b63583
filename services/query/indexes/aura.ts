import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { currentDay } from '../../../projections/engine/day.ts';
import { readFirst, readOne } from '../../../projections/engine/published/read-published.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { About, aboutAura } from '../../../projections/models/aura/about.ts';
import { AURA, AuraRow } from '../../../projections/models/aura/row.ts';
import { ApiError, ErrorBody } from '../../http/errors.ts';
import { cacheControlOf, FailedRead, softReader } from '../../http/soft-read.ts';
import { clusterIdFault } from '../dossier/entity-key.ts';
import type { QueryParts } from '../parts.ts';
import { Limit } from './read-index.ts';

const AuraQuery = Type.Object({ limit: Limit }, { additionalProperties: false });

export const AuraListBody = Type.Object(
  {
    state: Type.Union([Type.Literal('present'), Type.Literal('degraded')], {
      description:
        'present; degraded if no read succeeded within 4 seconds, or no snapshot was ever published.',
    }),
    about: About,
    items: Type.Array(AuraRow, { description: 'The deepest convergence first.' }),
  },
  { description: 'Artists with converging signals.' },
);

export const AuraBody = Type.Object(
  {
    present: Type.Boolean({ description: 'Whether the artist has a row.' }),
    state: Type.Union([Type.Literal('present'), Type.Literal('honest_gap'), Type.Literal('degraded')], {
      description:
        'present; honest_gap if fewer than two dimensions are lit; degraded if no read succeeded within 4 seconds, or no snapshot was ever published.',
    }),
    aura: orNull(AuraRow),
  },
  { description: 'The row of one artist.' },
);

const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const PATH = '/api/v2/aura';

/** Artists with converging signals. Until the first snapshot is published, every response is `degraded`. */
export const auraRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const read = softReader({ log: parts.log, what: AURA, leftMs: app.inFlight.leftMs });

  app.get(
    PATH,
    {
      schema: {
        operationId: 'listAura',
        summary: 'Artists in whom several signals converge, the deepest convergence first',
        description:
          'Lists artists in whom at least two independent signals appeared within 18 months. about explains the numbers and their limits. Aura measures convergence of the signals that the service sees, not popularity. Without a snapshot, or while it cannot be read, state is degraded and items is empty.',
        tags: ['discovery'],
        querystring: AuraQuery,
        response: { 200: AuraListBody, ...errors },
      },
    },
    async (request, reply) => {
      const { limit } = request.query;
      const found = await read(() => readFirst(parts.readPool, AURA, { lists: [AURA], limit }));
      if (found === null || found instanceof FailedRead) {
        reply.header('cache-control', cacheControlOf('degraded'));
        return { state: 'degraded' as const, about: aboutAura(currentDay()), items: [] };
      }
      reply.header('cache-control', cacheControlOf('present'));
      const items = found.entries.map(({ body }) => body as AuraRow);
      return { state: 'present' as const, about: aboutAura(found.day), items };
    },
  );

  app.get(
    `${PATH}/:cluster`,
    {
      config: { errors: ['invalid_locator'] },
      schema: {
        operationId: 'getAura',
        summary: 'The convergence of signals in one artist',
        description:
          'Returns the aura row of one artist. An artist with fewer than two signals in the last 18 months has no row: present is false and state honest_gap. While the row cannot be read, present is false and state degraded.',
        tags: ['discovery'],
        params: Type.Object({
          cluster: Type.String({ description: 'Cluster id of 64 hex digits, case-insensitive.' }),
        }),
        response: { 200: AuraBody, ...errors },
      },
    },
    async (request, reply) => {
      const cluster = parseCluster(request.params.cluster);
      const found = await read(() => readOne(parts.readPool, AURA, { list: AURA, key: cluster }));
      if (found === null || found instanceof FailedRead) {
        reply.header('cache-control', cacheControlOf('degraded'));
        return { present: false, state: 'degraded' as const, aura: null };
      }
      reply.header('cache-control', cacheControlOf('present'));
      const [entry] = found.entries;
      if (entry === undefined) return { present: false, state: 'honest_gap' as const, aura: null };
      return { present: true, state: 'present' as const, aura: entry.body as AuraRow };
    },
  );

  done();
};

/** @throws ApiError `invalid_locator` */
function parseCluster(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new ApiError('invalid_locator', {
    message: `The aura key ${clusterIdFault(text) ?? 'is not a cluster id of 64 hex digits'}.`,
    hint: 'Resolve the artist by name with GET /api/v2/resolve?q=<name>, then call with its cluster_id.',
    param: 'cluster',
  });
}
