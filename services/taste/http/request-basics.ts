import type { FastifyInstance } from 'fastify';
import { SECURITY_HEADERS, STRICT_TRANSPORT } from '../../http/plugins/response-head.ts';
import { isHostless, passOverExpectations } from '../../http/request-head.ts';
import type { Consumers } from '../contract/registry.ts';
import { TasteError } from './errors.ts';
import { callerOf, isMe, meHeaders, preflightHeaders } from './me-headers.ts';
import { pathOf } from './plain-target.ts';
import type { RequestLimit } from './request-limit.ts';
import type { DeclaredRoute } from './route-declaration.ts';

export interface BasicsOptions {
  readonly consumers: Consumers;
  readonly limit: RequestLimit;
  readonly isSecure: boolean;
}

/** Sets common headers, applies the limit, and responds to OPTIONS, wrong methods and unknown paths. */
export function handleBasics(app: FastifyInstance, { consumers, limit, isSecure }: BasicsOptions): void {
  const routes: DeclaredRoute[] = [];
  app.decorate('declaredRoutes', routes);
  app.addHook('onRoute', ({ url, method, config }) => {
    for (const one of [method].flat())
      routes.push({ method: one, path: url, declaration: config?.declaration ?? null });
  });

  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request.url);
    const caller = callerOf(request, consumers);
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
    if (isSecure) reply.header('strict-transport-security', STRICT_TRANSPORT);
    if (isMe(path)) reply.headers(meHeaders(caller));
    if (isHostless(request.raw)) throw new TasteError('malformed_request');
    const allow = request.is404 ? allowedAt(path, routes) : null;
    // Browsers send preflights on their own, so no limit counts them.
    if (allow !== null && request.method === 'OPTIONS') {
      reply.code(204).header('allow', allow);
      if (isMe(path)) reply.headers(preflightHeaders(caller, allow));
      return reply.send();
    }
    const retryAfterSeconds = await limit.take(request.ip);
    if (retryAfterSeconds !== null) throw new TasteError('rate_limited', { retryAfterSeconds });
    if (!request.is404) return;
    throw allow === null ? new TasteError('not_found') : new TasteError('method_not_allowed', { allow });
  });
  passOverExpectations(app);
}

/** The methods of a path; null if it has none. */
function allowedAt(path: string, routes: readonly DeclaredRoute[]): string | null {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
  const bodiless = methods.includes('HEAD') ? ['HEAD'] : [];
  const allowed = [...methods.filter((method) => method !== 'HEAD'), ...bodiless, 'OPTIONS'];
  return methods.length === 0 ? null : allowed.join(', ');
}
