import type { onRequestHookHandler, RouteOptions } from 'fastify';

/** How many hooks plugins have put before those of a route. */
const placed = new WeakMap<RouteOptions, number>();

/**
 * Adds what a plugin does with the requests of one route: behind what the plugins before it do, and before the hooks of the
 * route itself. So a plugin looks at the settings of a route once, where a hook of all routes would at each request.
 */
export function addRequestHook(route: RouteOptions, hook: onRequestHookHandler): void {
  const place = placed.get(route) ?? 0;
  placed.set(route, place + 1);
  route.onRequest = [route.onRequest ?? []].flat().toSpliced(place, 0, hook);
}
