import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { readinessOf } from '../../../projections/freshness/readiness.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { HealthyBody, NotReadyBody, ReadyBody, UnhealthyBody } from '../schemas/health.ts';
import { NoQuery } from '../schemas/no-query.ts';

/** Asked often, by who starts, stops and restarts the process. */
const config = { isPublic: true, isUnlimited: true, isNeverShed: true, hasNoEtag: true };

/** Whether the process lives, and whether it can answer. */
export const healthRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  // Keys that are known are verified without the primary database, so it is the one behind the reads that counts.
  const readiness = readinessOf(parts.watchPool, { needsReadModels: true });
  app.get(
    '/health',
    {
      config,
      schema: {
        operationId: 'getHealth',
        summary: 'Whether this process lives; restart it where not',
        tags: ['operation'],
        querystring: NoQuery,
        response: { 200: HealthyBody, 503: UnhealthyBody, '4xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      const causes = parts.watchdog.overdue();
      if (causes.length === 0) return reply.send({ status: 'ok' });
      return reply.code(503).send({ error: 'unhealthy', causes });
    },
  );
  app.get(
    '/ready',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether this process can answer; send it nothing where not',
        tags: ['operation'],
        querystring: NoQuery,
        response: { 200: ReadyBody, 503: NotReadyBody, '4xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      const causes = [...(await readiness())];
      reply.header('cache-control', 'no-store');
      const degraded = [...(parts.limitStore?.causes() ?? [])];
      if (causes.length === 0)
        return reply.send({ status: 'ready', ...(degraded.length === 0 ? {} : { degraded }) });
      return reply.code(503).send({ error: 'not_ready', causes });
    },
  );
  done();
};
