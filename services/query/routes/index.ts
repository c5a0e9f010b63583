import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { QueryParts } from '../parts.ts';
import { artistRoutes } from './artist.ts';
import { artistsRoutes } from './artists.ts';
import { auraRoutes } from './aura.ts';
import { breakoutsRoutes } from './breakouts.ts';
import { dictionaryRoutes } from './dictionary.ts';
import { docsRoutes } from './docs.ts';
import { facetsRoutes } from './facets.ts';
import { festivalRoutes } from './festival.ts';
import { healthRoutes } from './health.ts';
import { labelRoutes } from './label.ts';
import { manifestRoutes } from './manifest.ts';
import { masterRoutes } from './master.ts';
import { openApiRoutes } from './openapi.ts';
import { previewRoutes } from './preview.ts';
import { resolveRoutes } from './resolve.ts';
import { resolveBatchRoutes } from './resolve-batch.ts';
import { rootRoutes } from './root.ts';
import { searchRoutes } from './search.ts';
import { searchEventRoutes } from './search-events.ts';
import { statusRoutes } from './status.ts';
import { storefrontRoutes } from './storefront.ts';
import { surfaceRoutes } from './surface.ts';
import { tastemakersRoutes } from './tastemakers.ts';
import { tracksRoutes } from './tracks.ts';
import { tracksResolveRoutes } from './tracks-resolve.ts';
import { usageRoutes } from './usage.ts';
import { v1Routes } from './v1.ts';

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
