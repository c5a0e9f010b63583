import { definePlugin } from '../define-plugin.ts';
import { ApiError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { ResponseHead } from './response-head.ts';

/** A route as the root index shows it. */
interface ListedRoute {
  /** With parameters in braces. */
  readonly path: string;
  readonly methods: string[];
  readonly summary: string;
  readonly isPublic: boolean;
  /** Whether the root index omits it: pages for people, and routes outside this version. */
  readonly isUnlisted: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, in the order of registration. */
    readonly listedRoutes: readonly ListedRoute[];
  }
  interface FastifyContextConfig {
    /** Whether the root index and the description of the API omit the route. */
    isUnlisted?: boolean;
  }
  interface FastifySchema {
    /** Stable name of the operation. */
    operationId?: string;
    summary?: string;
    /** Groups of the reference. */
    tags?: readonly string[];
    /** How clients authenticate, where neither an API key is required nor the route is public. */
    security?: ReadonlyArray<{ [scheme: string]: readonly string[] }>;
  }
}

/**
 * Keeps the list of routes, and responds to requests without a route before their body is read: OPTIONS, a wrong method,
 * an unknown path.
 */
export const routeList = definePlugin<{ readonly head: ResponseHead }>(
  'route-list',
  ['errors'],
  (app, { head }) => {
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
      if (route === undefined) return done(notFound(request.url, routes));
      const allow = [...route.methods, 'OPTIONS'].join(', ');
      if (request.method !== 'OPTIONS') return done(new ApiError('method_not_allowed', { allow }));
      reply.code(204).header('allow', allow).headers(head.preflight(allow)).send();
    });
  },
);

function notFound(url: string, routes: readonly ListedRoute[]): ApiError {
  const [path = '', ...query] = url.split('?');
  const meant = path.length > MAX_COMPARED ? undefined : meantPath(path, routes);
  if (meant === undefined) return new ApiError('not_found');
  const next = [meant, ...query].join('?');
  return new ApiError('not_found', { hint: `Did you mean ${meant}? GET /api/v2 lists the routes.`, next });
}

const MAX_COMPARED = 1_000;
/** Beginnings that clients leave out. */
const PREFIXES = ['', '/api', '/api/v2'] as const;

/** The path with its misspelt, missing or superfluous parts as in a route; its parameters stay as they are. */
function meantPath(path: string, routes: readonly ListedRoute[]): string | undefined {
  const given = path.replace(/\/+$/, '');
  for (const prefix of PREFIXES) {
    const parts = `${prefix}${given}`.split('/');
    let known = routes.map((route) => route.path.split('/')).filter(({ length }) => length === parts.length);
    const meant: string[] = [];
    for (const [index, part] of parts.entries()) {
      const names = new Set(known.map((route) => route[index] ?? ''));
      const name = names.has(part)
        ? part
        : nearest(
            part,
            [...names].filter((each) => !isParameter(each)),
          );
      const isOf = (each: string): boolean =>
        name === undefined ? isParameter(each) && part !== '' : each === name;
      known = known.filter((route) => isOf(route[index] ?? ''));
      meant.push(name ?? part);
    }
    if (known.length > 0) return meant.join('/');
  }
  return undefined;
}

const isParameter = (part: string): boolean => part.startsWith('{');
