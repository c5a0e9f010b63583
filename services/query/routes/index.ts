import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { QueryParts } from '../parts.ts';
import { artistRoutes } from './artist.ts';
import { festivalRoutes } from './festival.ts';
import { healthRoutes } from './health.ts';
import { labelRoutes } from './label.ts';
import { manifestRoutes } from './manifest.ts';
import { masterRoutes } from './master.ts';
import { resolveRoutes } from './resolve.ts';
import { resolveBatchRoutes } from './resolve-batch.ts';
import { rootRoutes } from './root.ts';
import { statusRoutes } from './status.ts';
import { storefrontRoutes } from './storefront.ts';

/** Every route of the query service, in the order of the root index. */
export const routes: readonly FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}>[] = [
  rootRoutes,
  resolveRoutes,
  resolveBatchRoutes,
  artistRoutes,
  storefrontRoutes,
  masterRoutes,
  labelRoutes,
  festivalRoutes,
  manifestRoutes,
  statusRoutes,
  healthRoutes,
];
