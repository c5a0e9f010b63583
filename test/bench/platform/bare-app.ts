import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { artistRoutes } from '../../../services/query/routes/artist.ts';
import { stalenessOf } from '../../../services/query/serving/staleness.ts';

/**
 * The routes of artist dossiers with the framework's options of the query service and none of its plugins: no keys, no
 * limits, no request ids, no metrics, no errors of its own. What is left is what a dossier costs by itself.
 */
export function bareApp(readPool: Pool, registry: SourceRegistry): FastifyInstance {
  const app = fastify({
    loggerInstance: pino({ level: 'warn' }) as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    handlerTimeout: 14_500,
    requestTimeout: 15_000,
    bodyLimit: 256 * 1024,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16 * 1024 },
  });
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  const nothingStale = stalenessOf([]);
  const parts = { readPool, registry, staleness: () => nothingStale, now: Date.now };
  // All that these routes take of the whole service.
  app.register(artistRoutes, { parts: parts as Partial<QueryParts> as QueryParts });
  return app;
}
