import type { FastifyInstance } from 'fastify';
import type { Consumers } from '../contract/registry.ts';
import { TasteError } from './errors.ts';
import { callerOf, ME_PREFIX, meHeaders, preflightHeaders } from './me-headers.ts';
import type { PromisedRoute } from './promise.ts';
import type { RequestLimit } from './request-limit.ts';

/** On every answer. */
export const BASE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const HSTS = 'max-age=31536000';

export interface BasicsOptions {
  readonly consumers: Consumers;
  readonly limit: RequestLimit;
  readonly isSecure: boolean;
}

/**
 * What comes before every route: the headers of every answer, the limit, and the answers to what there is no route for,
 * which are OPTIONS, a wrong method, an unknown path.
 */
export function handleBasics(app: FastifyInstance, { consumers, limit, isSecure }: BasicsOptions): void {
  const routes: PromisedRoute[] = [];
  app.decorate('promisedRoutes', routes);
  app.addHook('onRoute', ({ url, method, config }) => {
    for (const one of [method].flat())
      if (one !== 'HEAD') routes.push({ method: one, path: url, promise: config?.promise ?? null });
  });

  app.addHook('onRequest', (request, reply, done) => {
    const [path = ''] = request.url.split('?', 1);
    const caller = callerOf(request, consumers);
    reply.headers(BASE_HEADERS).header('x-request-id', request.id);
    if (isSecure) reply.header('strict-transport-security', HSTS);
    if (path.startsWith(ME_PREFIX)) reply.headers(meHeaders(caller));
    const retryAfterSeconds = limit.take(request.ip);
    if (retryAfterSeconds !== null) return done(new TasteError('rate_limited', { retryAfterSeconds }));
    if (!request.is404) return done();

    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    if (methods.length === 0) return done(new TasteError('not_found'));
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') return done(new TasteError('method_not_allowed', { allow }));
    reply.code(204).header('allow', allow);
    if (path.startsWith(ME_PREFIX)) reply.headers(preflightHeaders(caller, allow));
    reply.send();
  });
}
