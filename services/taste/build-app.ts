import type { Socket } from 'node:net';
import { fastifyCookie } from '@fastify/cookie';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { httpMetrics } from '../http/http-metrics.ts';
import { requestIdOf } from '../http/request-id.ts';
import { cookiesOf } from './connect/cookies.ts';
import { formTokens } from './connect/form-token.ts';
import { consumersOf } from './contract/registry.ts';
import { noteEvents } from './events.ts';
import { answerClientError, answerErrors, sendUndecodablePath } from './http/answer-errors.ts';
import { plainTarget } from './http/plain-target.ts';
import { handleBasics } from './http/request-basics.ts';
import { requestLimit } from './http/request-limit.ts';
import type { TasteParts } from './parts.ts';
import { subjectNames } from './profile/subject.ts';
import { type RouteContext, routes } from './routes/index.ts';

/** Half a second before the deadline, so that the answer arrives by it. */
const HANDLER_TIMEOUT_MS = 14_500;
const REQUEST_TIMEOUT_MS = 15_000;

/** The taste service, ready to listen or to be injected requests. */
export function buildTasteApp(parts: TasteParts): FastifyInstance {
  const consumers = consumersOf(parts.contract);
  const clock = () => performance.now();
  const app = fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    // A line a request would hold the return URL, and with it what a consumer keeps in it.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: parts.trustProxy,
    rewriteUrl: ({ url }) => plainTarget(url ?? ''),
    // Node would answer a request without one before anybody could say why.
    http: { requireHostHeader: false },
    handlerTimeout: HANDLER_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => sendUndecodablePath(request, reply, consumers),
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket),
  });
  // Each route takes the one media type that it is for.
  app.removeAllContentTypeParsers();
  if (parts.metrics !== null) app.register(httpMetrics, { registry: parts.metrics });
  app.register(fastifyCookie);
  answerErrors(app, parts.log);
  handleBasics(app, {
    consumers,
    limit: requestLimit(parts.requestsPerMinute, clock),
    isSecure: parts.isSecure,
  });
  const context: RouteContext = {
    parts,
    consumers,
    cookies: cookiesOf(parts.isSecure),
    forms: formTokens(parts.secret, parts.now),
    consents: requestLimit(parts.consentsPerMinute, clock),
    nameSubject: subjectNames(parts.secret),
    note: noteEvents(parts.log, parts.metrics),
  };
  for (const route of routes) app.register(route, context);
  return app;
}
