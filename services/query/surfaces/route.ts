import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { QueryParts } from '../parts.ts';
import { indexRoute } from './surface-index.ts';
import { rowsRoute } from './surface-rows.ts';
import { switchReader } from './switches.ts';

/** The registry of surfaces and the rows of each. Both routes share one reader of the switches. */
export const surfaceRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const readSwitches = switchReader(parts.watchPool, parts);
  indexRoute(app, parts, readSwitches);
  rowsRoute(app, parts, readSwitches);
  done();
};
