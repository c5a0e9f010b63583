import fastify, { type FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { DEFAULT_WORK_CAPACITY, fairQueue, workLimits } from '../../../services/http/fair-queue.ts';
import { openInFlight } from '../../../services/http/in-flight.ts';
import { anyLoad } from '../../../services/http/load-limit.ts';
import { compress } from '../../../services/http/plugins/compress.ts';
import { errors } from '../../../services/http/plugins/errors.ts';
import { inFlight } from '../../../services/http/plugins/in-flight.ts';
import { openResponseHead, responseHead } from '../../../services/http/plugins/response-head.ts';
import { wellFormedHead } from '../../../services/http/plugins/well-formed-head.ts';
import { artistRoutes } from '../../../services/query/artist/route.ts';
import { stalenessOf } from '../../../services/query/dossier/staleness.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
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
  const head = openResponseHead();
  const nothingStale = stalenessOf([]);
  const parts = { readPool, registry, staleness: () => nothingStale, now: Date.now };
  app.register(inFlight, {
    inFlight: openInFlight(),
    load: anyLoad,
    queue: fairQueue(workLimits(DEFAULT_WORK_CAPACITY), () => performance.now()),
    keyIdOf: () => null,
    head,
    baseUrl: NOWHERE,
    metrics: null,
  });
  app.register(responseHead, { head, trustsProxy: false });
  app.register(errors, { head, baseUrl: NOWHERE, log });
  app.register(wellFormedHead);
  app.register(compress);
  // All that these routes take of the whole service.
  app.register(artistRoutes, { parts: parts as Partial<QueryParts> as QueryParts });
  return app;
}
