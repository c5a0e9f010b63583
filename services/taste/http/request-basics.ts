import type { FastifyInstance } from 'fastify';
import { isHostless, passOverExpectations } from '../../http/request-head.ts';
import type { Consumers } from '../contract/registry.ts';
import { TasteError } from './errors.ts';
import { callerOf, isMe, meHeaders, preflightHeaders } from './me-headers.ts';
import { pathOf } from './plain-target.ts';
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
      routes.push({ method: one, path: url, promise: config?.promise ?? null });
  });

  app.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request.url);
    const caller = callerOf(request, consumers);
    reply.headers(BASE_HEADERS).header('x-request-id', request.id);
    if (isSecure) reply.header('strict-transport-security', HSTS);
    if (isMe(path)) reply.headers(meHeaders(caller));
    if (isHostless(request.raw)) return done(new TasteError('malformed_request'));
    const allow = request.is404 ? allowedAt(path, routes) : null;
    // Browsers ask so on their own, and what they are told takes nothing to know: it counts for nobody.
    if (allow !== null && request.method === 'OPTIONS') {
      reply.code(204).header('allow', allow);
      if (isMe(path)) reply.headers(preflightHeaders(caller, allow));
      reply.send();
      return;
    }
    const retryAfterSeconds = limit.take(request.ip);
    if (retryAfterSeconds !== null) return done(new TasteError('rate_limited', { retryAfterSeconds }));
    if (!request.is404) return done();
    done(allow === null ? new TasteError('not_found') : new TasteError('method_not_allowed', { allow }));
  });
  passOverExpectations(app);
}

/** The methods of a path; null where it has none. */
function allowedAt(path: string, routes: readonly PromisedRoute[]): string | null {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
  const bodiless = methods.includes('HEAD') ? ['HEAD'] : [];
  const allowed = [...methods.filter((method) => method !== 'HEAD'), ...bodiless, 'OPTIONS'];
  return methods.length === 0 ? null : allowed.join(', ');
}
