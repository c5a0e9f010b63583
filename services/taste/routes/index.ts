import type { FastifyPluginAsync } from 'fastify';
import { connectRoutes } from './connect.ts';
import { contractRoutes } from './contract.ts';
import { meRoutes } from './me.ts';
import type { RouteContext } from './route-context.ts';
import { statusRoutes } from './status.ts';

/** All routes; the published contract lists the same. */
export const routes: readonly FastifyPluginAsync<RouteContext>[] = [
  connectRoutes,
  statusRoutes,
  meRoutes,
  contractRoutes,
];
