import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../errors.ts';
import { preflightHeaders } from './cors.ts';

/** A route as the root index shows it. */
interface ListedRoute {
  /** With parameters in braces. */
  readonly path: string;
  readonly methods: string[];
  readonly summary: string;
  readonly isPublic: boolean;
  /** Whether the root index leaves it out: pages for people, and what is no part of this version. */
  readonly isUnlisted: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, in the order of registration. */
    readonly listedRoutes: readonly ListedRoute[];
  }
  interface FastifyContextConfig {
    /** Whether neither the root index nor the description of the API has the route. */
    isUnlisted?: boolean;
  }
  interface FastifySchema {
    /** Stable name of the operation. */
    operationId?: string;
    summary?: string;
  }
}

/**
 * Keeps the list of routes, and with its help answers what the router has no route for: OPTIONS, a wrong method,
 * an unknown path. It does so before a body is read.
 */
export const routeList = definePlugin('route-list', ['errors'], (app) => {
  const routes: (ListedRoute & { readonly pattern: RegExp })[] = [];
  app.decorate('listedRoutes', routes);

  app.addHook('onRoute', ({ url, method, schema, config }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    const known = routes.find((route) => route.path === path);
    if (known !== undefined) {
      known.methods.push(...[method].flat());
      return;
    }
    routes.push({
      path,
      methods: [method].flat(),
      summary: schema?.summary ?? '',
      isPublic: config?.isPublic ?? false,
      isUnlisted: config?.isUnlisted ?? false,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*').replaceAll('.', '\\.')}$`),
    });
  });

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const [path = ''] = request.url.split('?', 1);
    const route = routes.find(({ pattern }) => pattern.test(path));
    if (route === undefined) return done(new ApiError('not_found'));
    const allow = [...route.methods, 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') return done(new ApiError('method_not_allowed', { allow }));
    reply.code(204).header('allow', allow).headers(preflightHeaders(allow)).send();
  });
});
