import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { positionWaiter } from '../../projections/freshness/wait-visible.ts';
import { keyVerifier } from '../access/verify-key.ts';
import { operationList } from './docs/openapi/operation-list.ts';
import type { QueryParts } from './parts.ts';
import { apiKey } from './plugins/api-key.ts';
import { atLeast } from './plugins/at-least.ts';
import { compress } from './plugins/compress.ts';
import { cors } from './plugins/cors.ts';
import { answerClientError, errors, sendUndecodablePath } from './plugins/errors.ts';
import { httpMetrics } from './plugins/http-metrics.ts';
import { integerNumerals } from './plugins/integer-numerals.ts';
import { rateLimit } from './plugins/rate-limit.ts';
import { requestId, requestIdOf } from './plugins/request-id.ts';
import { routeList } from './plugins/route-list.ts';
import { wellFormedQuery } from './plugins/well-formed-query.ts';
import { routes } from './routes/index.ts';
import { rateLimits } from './serving/rate-limits.ts';

/** Half a second before the deadline, so that the answer arrives by it. */
const HANDLER_TIMEOUT_MS = 14_500;
const REQUEST_TIMEOUT_MS = 15_000;
/** No route takes more; those that take less say so. */
const BODY_LIMIT_BYTES = 256 * 1024;
/** A path is bounded by Node's limit on the head of a request; a key that is too long deserves its own error. */
const MAX_PARAM_LENGTH = 16 * 1024;

/** The HTTP service, ready to listen or to be injected requests. */
export function buildApp(parts: QueryParts): FastifyInstance {
  const { baseUrl, log, now } = parts;
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // A child a request would cost more than the lines it ever writes; they name the request themselves.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: parts.trustProxy,
    handlerTimeout: HANDLER_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
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

  // No route takes plain text; parsed, it would be told that it is no object.
  app.removeContentTypeParser('text/plain');

  const limits = rateLimits(parts.limits, now);
  if (parts.metrics !== null) app.register(httpMetrics, { registry: parts.metrics });
  app.register(requestId);
  app.register(cors);
  app.register(compress);
  app.register(errors, { baseUrl, log });
  app.register(routeList);
  app.register(operationList);
  app.register(apiKey, {
    verifier: keyVerifier(parts.accessPool, now),
    limits,
  });
  app.register(rateLimit, { limits });
  app.register(wellFormedQuery);
  app.register(integerNumerals);
  const onFailedLook = (error: unknown) => log.warn({ err: error }, 'positions cannot be looked for');
  app.register(atLeast, { waiter: positionWaiter(parts.watchPool, onFailedLook) });
  for (const route of routes) app.register(route, { parts });
  return app;
}
