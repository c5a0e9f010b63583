import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { positionWaiter } from '../../projections/engine/freshness/wait-visible.ts';
import { arrivalOptions } from '../http/arrival.ts';
import type { ErrorCode } from '../http/errors.ts';
import { DEFAULT_WORK_CAPACITY, fairQueue, workLimits } from '../http/fair-queue.ts';
import { httpMetrics } from '../http/http-metrics.ts';
import { openInFlight } from '../http/in-flight.ts';
import { limitCounters, rateLimits } from '../http/limits/rate-limits.ts';
import { planLimits } from '../http/limits/tiers.ts';
import { anyLoad } from '../http/load-limit.ts';
import { compress } from '../http/plugins/compress.ts';
import { errors, sendUndecodablePath } from '../http/plugins/errors.ts';
import { etag } from '../http/plugins/etag.ts';
import { fairWork } from '../http/plugins/fair-work.ts';
import { IGNORED, ignoredParameters } from '../http/plugins/ignored-parameters.ts';
import { inFlight } from '../http/plugins/in-flight.ts';
import { integerNumerals } from '../http/plugins/integer-numerals.ts';
import { jsonBody } from '../http/plugins/json-body.ts';
import { rateLimit } from '../http/plugins/rate-limit.ts';
import { rejectMalformed } from '../http/plugins/reject-connection.ts';
import { openResponseHead, responseHead } from '../http/plugins/response-head.ts';
import { routeList } from '../http/plugins/route-list.ts';
import { wellFormedHead } from '../http/plugins/well-formed-head.ts';
import { wellFormedQuery } from '../http/plugins/well-formed-query.ts';
import { requestIdOf } from '../http/request-id.ts';
import { apiKey, keyTextOf } from './keys/api-key.ts';
import { recordKeyUse } from './keys/key-use.ts';
import { keyVerifier } from './keys/verify-key.ts';
import type { QueryParts } from './parts.ts';
import { routes } from './routes.ts';
import { atLeast } from './status/at-least.ts';
import { AT_LEAST, FRESHNESS, WAIT } from './status/consistency-headers.ts';

/** The largest body of any route. */
const BODY_LIMIT_BYTES = 256 * 1024;
/** Node limits the head of a request; a key that is too long has its own error. */
const MAX_PARAM_LENGTH = 16 * 1024;
const EXPOSED_HEADERS = ['X-Dictionary-Source-Sha', 'X-Dictionary-Vendored-At', FRESHNESS, IGNORED];

/** The HTTP service, ready to listen or to be injected requests. */
export function buildApp(parts: QueryParts): FastifyInstance {
  const { baseUrl, log, now } = parts;
  const head = openResponseHead({ exposed: EXPOSED_HEADERS, allowed: [AT_LEAST, WAIT] });
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // A child logger per request would cost more than the few lines it writes; they name the request themselves.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: parts.trustProxy,
    ...arrivalOptions(parts.arrival),
    bodyLimit: BODY_LIMIT_BYTES,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    ajv: {
      customOptions: {
        removeAdditional: false,
        allErrors: true,
        coerceTypes: 'array',
        // Only the value distinguishes a repeated parameter from one of another type.
        verbose: true,
      },
    },
    frameworkErrors: (_error, request, reply) =>
      sendUndecodablePath(request, reply, {
        head,
        baseUrl: baseUrl(),
        code: undecodablePathCode(request.raw.url ?? ''),
      }),
    clientErrorHandler: (error, socket) =>
      rejectMalformed(error, socket as Socket, { head, baseUrl: baseUrl() }),
  }).withTypeProvider<TypeBoxTypeProvider>();

  // A serialiser made from the schemas would silently drop members that they omit, and fail a request over a producer's
  // odd value.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));

  const { metrics, limitStore: store = null, load = anyLoad, clock = { steady: now, wall: now } } = parts;
  const limits = rateLimits(planLimits(parts.limits), clock, limitCounters(clock, store));
  if (metrics !== null) app.register(httpMetrics, { registry: metrics });
  const verifier = keyVerifier(parts.accessPool, now);
  const keyIdOf = (request: FastifyRequest): string | null => {
    const text = keyTextOf(request);
    return text === null ? null : verifier.recognize(text);
  };
  const queue = fairQueue(workLimits(parts.workCapacity ?? DEFAULT_WORK_CAPACITY), () => performance.now());
  app.register(inFlight, {
    inFlight: parts.inFlight ?? openInFlight(),
    load,
    queue,
    keyIdOf,
    head,
    baseUrl,
    metrics,
  });
  app.register(responseHead, { head, trustsProxy: parts.trustProxy !== false });
  app.register(errors, { head, baseUrl, log });
  app.register(wellFormedHead);
  app.register(compress);
  app.register(etag);
  app.register(jsonBody);
  app.register(routeList, { head });
  parts.observeRoutes?.(app);
  app.register(apiKey, {
    verifier,
    use: recordKeyUse(parts.accessPool, { log, now }),
    limits,
  });
  app.register(rateLimit, { limits, store, metrics });
  // After the wait of at-least, which adds its hook in front of this one.
  app.register(fairWork, { queue, metrics });
  app.register(wellFormedQuery);
  app.register(ignoredParameters);
  app.register(integerNumerals);
  const onFailedPoll = (error: unknown) => log.warn({ err: error }, 'cannot poll log positions');
  app.register(atLeast, { waiter: positionWaiter(parts.watchPool, onFailedPoll) });
  for (const route of routes) app.register(route, { parts });
  return app;
}

/** Routes with an error code of their own for an invalid key. */
const KEY_CODES: Readonly<Record<string, ErrorCode>> = {
  artist: 'invalid_artist_key',
  label: 'invalid_label_key',
  aura: 'invalid_locator',
};
const KEYED_PATH = /^\/api\/v2\/(?:dossier\/)?(?<grain>artist|label|aura)\/(?<key>[^/?]*)/;

/** The error code of a path that cannot be decoded; the invalid part may come after the key. */
function undecodablePathCode(url: string): ErrorCode {
  const { grain = '', key = '' } = KEYED_PATH.exec(url)?.groups ?? {};
  try {
    decodeURIComponent(key);
    return 'malformed_request';
  } catch {
    return KEY_CODES[grain] ?? 'malformed_request';
  }
}
