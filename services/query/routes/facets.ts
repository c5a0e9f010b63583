import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { isoSecond } from '../../../projections/provenance.ts';
import { listFacets } from '../../../projections/search/facets.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { FacetsBody } from '../schemas/search.ts';
import type { FacetList } from '../search/list-facets.ts';
import { SIGNAL_MS } from '../serving/flights.ts';

/** The filters of the search and the values that they can have. */
export const facetsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  app.get(
    '/api/v2/facets',
    {
      handlerTimeout: SIGNAL_MS,
      schema: {
        operationId: 'listFacets',
        summary: 'Filters of the search, and their values',
        tags: ['search'],
        querystring: NoQuery,
        response: { 200: FacetsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const list = await parts.search.facets(request.signal);
      reply.header('cache-control', 'private, no-cache');
      return {
        object: 'facets.index' as const,
        facets: entriesOf(list),
        generated_at: isoSecond(list.takenAt.getTime()),
      };
    },
  );
  done();
};

function entriesOf({ values, cut, years, quadrants }: FacetList) {
  const single = (type: 'string' | 'integer', known: FacetList['years'] = []) => ({
    type,
    modes: [],
    values: known.map(({ value, count }) => ({ value, count })),
  });
  return {
    ...Object.fromEntries(
      listFacets.map((facet) => [
        facet,
        {
          ...single('string', values[facet]),
          ...(cut.includes(facet) ? { truncated: true as const } : {}),
          modes: ['and', 'or'] as const,
        },
      ]),
    ),
    year_from: single('integer', years),
    year_to: single('integer', years),
    cube_quadrant: single('string', quadrants),
    dj_count_min: single('integer'),
    exclude_artist: single('string'),
    exclude_label: single('string'),
  };
}
