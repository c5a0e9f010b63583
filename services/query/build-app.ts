import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { positionWaiter } from '../../projections/freshness/wait-visible.ts';
import { recordKeyUse } from '../access/key-use.ts';
import { keyVerifier } from '../access/verify-key.ts';
import { httpMetrics } from '../http/http-metrics.ts';
import { requestIdOf } from '../http/request-id.ts';
import { operationList } from './docs/openapi/operation-list.ts';
import type { ArrivalLimits, QueryParts } from './parts.ts';
import { answerHead } from './plugins/answer-head.ts';
import { apiKey } from './plugins/api-key.ts';
import { atLeast } from './plugins/at-least.ts';
import { compress } from './plugins/compress.ts';
import { errors, sendUndecodablePath } from './plugins/errors.ts';
import { etag } from './plugins/etag.ts';
import { flights } from './plugins/flights.ts';
import { integerNumerals } from './plugins/integer-numerals.ts';
import { jsonBody } from './plugins/json-body.ts';
import { rateLimit } from './plugins/rate-limit.ts';
import { answerClientError } from './plugins/refuse-connection.ts';
import { routeList } from './plugins/route-list.ts';
import { wellFormedHead } from './plugins/well-formed-head.ts';
import { wellFormedQuery } from './plugins/well-formed-query.ts';
import { routes } from './routes/index.ts';
import { openFlights } from './serving/flights.ts';
import { localLimits } from './serving/limits/local-limits.ts';
import { keyPlaces } from './serving/limits/places.ts';
import { sharedLimits } from './serving/limits/shared-limits.ts';
import { anyLoad } from './serving/load-limit.ts';
import { planLimits, type RateLimits } from './serving/rate-limits.ts';

/** What is late in arriving is told so, well before the answer to it would be late. */
const DEFAULT_ARRIVAL: ArrivalLimits = { headersMs: 5_000, requestMs: 10_000 };
const MOST_BETWEEN_CHECKS_MS = 1_000;
/** No route takes more; those that take less say so. */
const BODY_LIMIT_BYTES = 256 * 1024;
/** A path is bounded by Node's limit on the head of a request; a key that is too long deserves its own error. */
const MAX_PARAM_LENGTH = 16 * 1024;

/** The HTTP service, ready to listen or to be injected requests. */
export function buildApp(parts: QueryParts): FastifyInstance {
  const { baseUrl, log, now, arrival = DEFAULT_ARRIVAL } = parts;
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // A child a request would cost more than the lines it ever writes; they name the request themselves.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: parts.trustProxy,
    requestTimeout: arrival.requestMs,
    http: {
      headersTimeout: arrival.headersMs,
      connectionsCheckingInterval: Math.min(MOST_BETWEEN_CHECKS_MS, Math.ceil(arrival.headersMs / 4)),
      // Node would answer a request without one before anybody could say why.
      requireHostHeader: false,
    },
    bodyLimit: BODY_LIMIT_BYTES,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    ajv: {
      customOptions: {
        removeAdditional: false,
        allErrors: true,
        coerceTypes: 'array',
        // Only the value tells a parameter that is repeated from one of another type.
        verbose: true,
      },
    },
    frameworkErrors: (_error, request, reply) => sendUndecodablePath(request, reply, baseUrl()),
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket, baseUrl()),
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Schemas say what is sent; a serialiser made from them would silently drop what they forget, and fail a request over
  // a producer's odd value.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));

  const limits = limitsOf(parts);
  const { metrics, limitStore: store = null, load = anyLoad } = parts;
  if (metrics !== null) app.register(httpMetrics, { registry: metrics });
  app.register(flights, { flights: parts.flights ?? openFlights(), load, baseUrl, metrics });
  app.register(answerHead, { trustsProxy: parts.trustProxy !== false });
  app.register(errors, { baseUrl, log });
  app.register(wellFormedHead);
  app.register(compress);
  app.register(etag);
  app.register(jsonBody);
  app.register(routeList);
  app.register(operationList);
  app.register(apiKey, {
    verifier: keyVerifier(parts.accessPool, now),
    use: recordKeyUse(parts.accessPool, { log, now }),
    limits,
  });
  app.register(rateLimit, { limits, store, metrics });
  app.register(wellFormedQuery);
  app.register(integerNumerals);
  const onFailedLook = (error: unknown) => log.warn({ err: error }, 'positions cannot be looked for');
  app.register(atLeast, { waiter: positionWaiter(parts.watchPool, onFailedLook) });
  for (const route of routes) app.register(route, { parts });
  return app;
}

function limitsOf({ limits, limitStore, now, clock = { steady: now, wall: now } }: QueryParts): RateLimits {
  const plan = planLimits(limits);
  return limitStore ? sharedLimits(plan, limitStore, clock) : localLimits(plan, clock, keyPlaces());
}
