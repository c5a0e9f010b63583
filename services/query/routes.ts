import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { artistRoutes } from './artist/route.ts';
import { artistsRoutes } from './artists/route.ts';
import { dictionaryRoutes } from './dictionary/route.ts';
import { docsRoutes } from './docs/docs-route.ts';
import { openApiRoutes } from './docs/openapi-route.ts';
import { festivalRoutes } from './festival/route.ts';
import { auraRoutes } from './indexes/aura.ts';
import { breakoutsRoutes } from './indexes/breakouts.ts';
import { tastemakersRoutes } from './indexes/tastemakers.ts';
import { usageRoutes } from './keys/usage.ts';
import { labelRoutes } from './label/route.ts';
import { manifestRoutes } from './manifest/route.ts';
import { masterRoutes } from './master/route.ts';
import type { QueryParts } from './parts.ts';
import { previewRoutes } from './preview/route.ts';
import { resolveBatchRoutes } from './resolve/batch.ts';
import { resolveRoutes } from './resolve/resolve.ts';
import { rootRoutes } from './root/route.ts';
import { facetsRoutes } from './search/facets.ts';
import { searchRoutes } from './search/route.ts';
import { searchEventRoutes } from './search-events/route.ts';
import { healthRoutes } from './status/health.ts';
import { statusRoutes } from './status/status.ts';
import { storefrontRoutes } from './storefront/route.ts';
import { surfaceRoutes } from './surfaces/route.ts';
import { tracksResolveRoutes } from './tracks/resolve.ts';
import { tracksRoutes } from './tracks/tracks.ts';
import { v1Routes } from './v1/route.ts';

/** Every route of the query service, in the order of the root index. */
export const routes: readonly FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}>[] = [
  rootRoutes,
  openApiRoutes,
  resolveRoutes,
  resolveBatchRoutes,
  artistRoutes,
  artistsRoutes,
  storefrontRoutes,
  masterRoutes,
  labelRoutes,
  festivalRoutes,
  manifestRoutes,
  searchRoutes,
  facetsRoutes,
  tracksRoutes,
  tracksResolveRoutes,
  auraRoutes,
  tastemakersRoutes,
  breakoutsRoutes,
  surfaceRoutes,
  dictionaryRoutes,
  previewRoutes,
  searchEventRoutes,
  usageRoutes,
  statusRoutes,
  healthRoutes,
  docsRoutes,
  v1Routes,
];
