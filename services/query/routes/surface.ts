import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { isPaged, surfaces } from '../../../projections/sources/surfaces.ts';
import { ApiError, ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { SURFACE_INDEX_PATH, SurfaceIndexBody, SurfaceQuery, SurfaceRowsBody } from '../schemas/surface.ts';
import { sendJson } from '../serving/send-json.ts';
import { indexAnswerer } from '../serving/surface/answer-index.ts';
import { rowsAnswerer } from '../serving/surface/answer-rows.ts';
import { type DeclaredSurface, declaredByName } from '../serving/surface/registry.ts';
import { switchReader } from '../serving/surface/switches.ts';

/** The registry of surfaces, and the rows of each. */
export const surfaceRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const readSwitches = switchReader(parts.watchPool, parts);
  const answerIndex = indexAnswerer(parts, readSwitches);
  const answerRows = rowsAnswerer(parts, readSwitches);

  app.get(
    SURFACE_INDEX_PATH,
    {
      schema: {
        operationId: 'listSurfaces',
        summary: 'Registry of the surfaces: how each is keyed, paged, capped and covered',
        tags: ['surface'],
        querystring: NoQuery,
        response: { 200: SurfaceIndexBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (_request, reply) => {
      reply.header('cache-control', 'private, no-cache');
      return answerIndex();
    },
  );

  app.get(
    `${SURFACE_INDEX_PATH}/:name`,
    {
      schema: {
        operationId: 'getSurfaceRows',
        summary: 'Rows of one surface for one cluster',
        tags: ['surface'],
        params: Type.Object({
          name: Type.String({ description: 'One of the names that the registry lists.' }),
        }),
        querystring: SurfaceQuery,
        response: { 200: SurfaceRowsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      // Before the schema speaks: which parameters count depends on the surface.
      preValidation: (request, _reply, next) => {
        const { source } = declaredSurface(request.params.name);
        if (!isPaged(source)) {
          const { after: _after, limit: _limit, ...counting } = request.query;
          request.query = counting;
        }
        next();
      },
    },
    async (request, reply) =>
      sendJson(reply, await answerRows(declaredSurface(request.params.name), request.query)),
  );

  done();
};

/** @throws ApiError `unknown_surface` */
function declaredSurface(name: string): DeclaredSurface {
  const declared = declaredByName.get(name);
  if (declared !== undefined) return declared;
  throw new ApiError('unknown_surface', {
    param: 'name',
    hint: `Use one of ${surfaces.map(({ table }) => table).join(', ')}.`,
    next: SURFACE_INDEX_PATH,
  });
}
