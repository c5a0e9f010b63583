import type { Socket } from 'node:net';
import { fastifyCookie } from '@fastify/cookie';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { arrivalOptions } from '../http/arrival.ts';
import { openConnections } from '../http/connections.ts';
import { httpMetrics } from '../http/http-metrics.ts';
import { boundConnections } from '../http/plugins/connections.ts';
import { requestIdOf } from '../http/request-id.ts';
import { cookiesOf } from './connect/cookies.ts';
import { formTokens } from './connect/form-token.ts';
import { consumersOf } from './contract/registry.ts';
import { eventRecorder } from './events.ts';
import { handleErrors, rejectMalformed, sendUndecodablePath } from './http/error-handler.ts';
import { plainTarget } from './http/plain-target.ts';
import { handleBasics } from './http/request-basics.ts';
import { requestLimit } from './http/request-limit.ts';
import type { TasteParts } from './parts.ts';
import { subjectNames } from './profile/subject.ts';
import { routes } from './routes/index.ts';
import type { RouteContext } from './routes/route-context.ts';

/** Half a second before the deadline, so that the response arrives in time. */
const HANDLER_TIMEOUT_MS = 14_500;

/** The taste service, ready to listen or to be injected requests. */
export function buildTasteApp(parts: TasteParts): FastifyInstance {
  const consumers = consumersOf(parts.contract);
  const isSecure = parts.origin?.startsWith('https:') ?? false;
  const limitOf = (name: string, perMinute: number) =>
    requestLimit({
      name: `taste-${name}`,
      perMinute,
      now: () => performance.now(),
      store: parts.limitStore ?? null,
      windowMs: parts.windowMs,
    });
  const app = fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    // A log line per request would contain the return URL, and with it the consumer's state.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: parts.trustProxy,
    rewriteUrl: ({ url }) => plainTarget(url ?? ''),
    ...arrivalOptions(parts.arrival),
    handlerTimeout: HANDLER_TIMEOUT_MS,
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => sendUndecodablePath(request, reply, consumers),
    clientErrorHandler: (error, socket) => rejectMalformed(error, socket as Socket),
  });
  // Each route accepts one media type only.
  app.removeAllContentTypeParsers();
  if (parts.metrics !== null) app.register(httpMetrics, { registry: parts.metrics });
  app.register(boundConnections, {
    connections: openConnections(parts.connections),
    metrics: parts.metrics,
  });
  app.register(fastifyCookie);
  handleErrors(app, parts.log);
  handleBasics(app, {
    consumers,
    limit: limitOf('requests', parts.requestsPerMinute),
    isSecure,
  });
  const context: RouteContext = {
    parts,
    consumers,
    cookies: cookiesOf(isSecure),
    forms: formTokens(parts.secret, parts.now),
    consents: limitOf('consents', parts.consentsPerMinute),
    nameSubject: subjectNames(parts.secret),
    recordEvent: eventRecorder(parts.log, parts.metrics),
  };
  for (const route of routes) app.register(route, context);
  return app;
}
