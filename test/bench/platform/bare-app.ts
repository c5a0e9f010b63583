import fastify, { type FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { answerHead } from '../../../services/query/plugins/answer-head.ts';
import { compress } from '../../../services/query/plugins/compress.ts';
import { errors } from '../../../services/query/plugins/errors.ts';
import { flights } from '../../../services/query/plugins/flights.ts';
import { wellFormedHead } from '../../../services/query/plugins/well-formed-head.ts';
import { artistRoutes } from '../../../services/query/routes/artist.ts';
import { openFlights } from '../../../services/query/serving/flights.ts';
import { anyLoad } from '../../../services/query/serving/load-limit.ts';
import { stalenessOf } from '../../../services/query/serving/staleness.ts';
import { frameworkOptions } from '../processes/framework-options.ts';

const NOWHERE = (): string => '';

/**
 * The query service with the routes of artist dossiers alone, and without keys, limits, ids and metrics: deadlines, errors
 * and what every answer says are those of the whole.
 */
export function bareApp(readPool: Pool, registry: SourceRegistry): FastifyInstance {
  const log = pino({ level: 'warn' });
  const app = fastify(frameworkOptions(log));
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  const nothingStale = stalenessOf([]);
  const parts = { readPool, registry, staleness: () => nothingStale, now: Date.now };
  app.register(flights, { flights: openFlights(), load: anyLoad, baseUrl: NOWHERE, metrics: null });
  app.register(answerHead, { trustsProxy: false });
  app.register(errors, { baseUrl: NOWHERE, log });
  app.register(wellFormedHead);
  app.register(compress);
  // All that these routes take of the whole service.
  app.register(artistRoutes, { parts: parts as Partial<QueryParts> as QueryParts });
  return app;
}
