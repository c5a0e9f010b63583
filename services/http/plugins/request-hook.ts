import type { onRequestHookHandler, RouteOptions } from 'fastify';

/** The number of hooks that plugins have put before those of a route. */
const placed = new WeakMap<RouteOptions, number>();

/**
 * Adds a plugin's hook to one route: after the hooks of earlier plugins, before those of the route itself. So a plugin reads
 * the settings of a route once; a hook of all routes would read them at each request.
 */
export function addRequestHook(route: RouteOptions, hook: onRequestHookHandler): void {
  const place = placed.get(route) ?? 0;
  placed.set(route, place + 1);
  route.onRequest = [route.onRequest ?? []].flat().toSpliced(place, 0, hook);
}
