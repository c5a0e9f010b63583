import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { ErrorBody } from '../../http/errors.ts';
import type { QueryParts } from '../parts.ts';
import { queryReadiness } from './readiness.ts';

const Causes = Type.Array(
  Type.Object({
    what: Type.String(),
    since: Type.String({ format: 'date-time' }),
    detail: Type.String(),
  }),
);

export const HealthyBody = Type.Object({ status: Type.Literal('ok') });
export const UnhealthyBody = Type.Object({ error: Type.Literal('unhealthy'), causes: Causes });

export const ReadyBody = Type.Object({
  status: Type.Literal('ready'),
  degraded: Type.Optional({
    ...Causes,
    description: 'Unavailable optional dependencies; absent if all are available.',
  }),
});
export const NotReadyBody = Type.Object({ error: Type.Literal('not_ready'), causes: Causes });

const RETRY_AFTER_SECONDS = 5;

/** Orchestrators poll these routes often. */
const config = { isPublic: true, isUnlimited: true, isNeverShed: true, hasNoEtag: true };

/** Liveness and readiness of the process. */
export const healthRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const readiness = queryReadiness(parts);
  app.get(
    '/health',
    {
      config,
      schema: {
        operationId: 'getHealth',
        summary: 'Liveness: restart the process if it fails',
        description:
          'Responds 503 with causes if a part of the process has stopped making progress, so that an orchestrator restarts it. Reads no database. Has no limit, and is not shed under load.',
        tags: ['operation'],
        response: { 200: HealthyBody, 503: UnhealthyBody, '4xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      const causes = parts.watchdog.overdue();
      if (causes.length === 0) return reply.send({ status: 'ok' });
      return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ error: 'unhealthy', causes });
    },
  );
  app.get(
    '/ready',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'Readiness: send the process no requests if it fails',
        description:
          'Responds 503 with causes while the database that serves reads cannot be read, while a read model is missing, or while the primary database cannot verify API keys. degraded lists optional dependencies that are unavailable. Has no limit, and is not shed under load.',
        tags: ['operation'],
        response: { 200: ReadyBody, 503: NotReadyBody, '4xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      const causes = [...(await readiness())];
      reply.header('cache-control', 'no-store');
      const degraded = [...(parts.limitStore?.causes() ?? [])];
      if (causes.length === 0)
        return reply.send({ status: 'ready', ...(degraded.length === 0 ? {} : { degraded }) });
      return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ error: 'not_ready', causes });
    },
  );
  done();
};
