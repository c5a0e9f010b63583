import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { aboutAura } from '../../../projections/aura/about.ts';
import { AURA, type AuraRow } from '../../../projections/aura/row.ts';
import { currentDay } from '../../../projections/day.ts';
import { readFirst, readOne } from '../../../projections/published/read-published.ts';
import { ApiError, ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { AuraBody, AuraListBody, AuraQuery } from '../schemas/aura.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { softReader } from '../serving/soft-read.ts';

const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const PATH = '/api/v2/aura';

/** Artists in whom several signals converge. Before anything was published, nothing can be said of anybody. */
export const auraRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const read = softReader(parts.log, AURA);

  app.get(
    PATH,
    {
      schema: {
        operationId: 'listAura',
        summary: 'Artists in whom several signals converge, the deepest convergence first',
        tags: ['discovery'],
        querystring: AuraQuery,
        response: { 200: AuraListBody, ...errors },
      },
    },
    async (request, reply) => {
      const { limit } = request.query;
      const found = await read(() => readFirst(parts.readPool, AURA, [AURA], limit));
      reply.header('cache-control', 'private, no-cache');
      if (found === 'degraded' || found === null)
        return { state: 'degraded' as const, about: aboutAura(currentDay()), items: [] };
      const items = found.entries.map(({ body }) => body as AuraRow);
      return { state: 'present' as const, about: aboutAura(found.day), items };
    },
  );

  app.get(
    `${PATH}/:cluster`,
    {
      schema: {
        operationId: 'getAura',
        summary: 'The convergence of signals in one artist',
        tags: ['discovery'],
        params: Type.Object({
          cluster: Type.String({ description: 'Cluster id of 64 hex digits; case does not matter.' }),
        }),
        querystring: NoQuery,
        response: { 200: AuraBody, ...errors },
      },
    },
    async (request, reply) => {
      const cluster = parseCluster(request.params.cluster);
      const found = await read(() => readOne(parts.readPool, AURA, AURA, cluster));
      reply.header('cache-control', 'private, no-cache');
      if (found === 'degraded' || found === null)
        return { present: false, state: 'degraded' as const, aura: null };
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
    message: 'The aura key is not a cluster id of 64 hex digits.',
    hint: 'Resolve the artist by name with GET /api/v2/resolve?q=<name>, then call with its cluster_id.',
    param: 'cluster',
  });
}
