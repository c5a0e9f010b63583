import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { listFacets } from '../../../projections/models/search/facets.ts';
import { ErrorBody } from '../../http/errors.ts';
import { contentEtag } from '../../http/etag.ts';
import { SIGNAL_MS } from '../../http/in-flight.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { type ServedText, servedText } from '../docs/served-text.ts';
import type { QueryParts } from '../parts.ts';
import { singleFilters } from './apply-filters.ts';
import { type FacetList, type FacetValues, MOST_LISTED } from './list-facets.ts';
import { Truncated } from './schema.ts';

const FacetEntry = Type.Object({
  type: Type.Union([Type.Literal('string'), Type.Literal('integer')]),
  modes: Type.Array(Type.Union([Type.Literal('and'), Type.Literal('or')]), {
    description: 'Modes for several values; empty if the filter takes one value.',
  }),
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }), {
    description: `Values with their number of release groups; for labels, the ${MOST_LISTED} most frequent. Empty if the filter takes any value. Spellings that differ only in case are one value, in the commonest spelling.`,
  }),
  truncated: Truncated,
});

/** The filters of the search: first those with several values. */
const filterNames = [...listFacets, ...singleFilters] as const;

export const FacetsBody = Type.Object({
  object: Type.Literal('facets.index'),
  facets: Type.Object(Object.fromEntries(filterNames.map((name) => [name, FacetEntry]))),
  generated_at: Type.String({ format: 'date-time' }),
});

/** The filters of the search and their values. */
export const facetsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const textOf = facetTexts();
  app.get(
    '/api/v2/facets',
    {
      handlerTimeout: SIGNAL_MS,
      schema: {
        operationId: 'listFacets',
        summary: 'Filters of the search and their values',
        description:
          'Lists every filter of the search with its values, the most frequent first, and their numbers of release groups. Of labels only the 1,000 most frequent are listed. A filter without values, such as exclude_artist, takes any text.',
        tags: ['search'],
        response: { 200: FacetsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const text = textOf(await parts.search.facets(request.signal));
      await text.send(request, reply);
      // Fastify would send a returned undefined as the response while compression is pending.
      return reply;
    },
  );
  done();
};

/** Makes the text of the facets once for each state of the index, and again only for another second. */
function facetTexts(): (list: FacetList) => ServedText {
  let entries: { readonly state: string; readonly json: string; readonly etag: string } | null = null;
  let made: { readonly state: string; readonly at: string; readonly text: ServedText } | null = null;
  return ({ state, values, takenAt }) => {
    const at = isoSecond(takenAt.getTime());
    if (made?.state === state && made.at === at) return made.text;
    if (entries?.state !== state) {
      const json = JSON.stringify(entriesOf(values));
      entries = { state, json, etag: contentEtag(json) };
    }
    const { json, etag } = entries;
    const load = () => `{"object":"facets.index","facets":${json},"generated_at":"${at}"}`;
    const text = servedText({ type: JSON_TYPE, cacheControl: 'private, no-cache', load, etag });
    made = { state, at, text };
    return text;
  };
}

function entriesOf({ values, cut, years, quadrants }: FacetValues) {
  const single = (type: 'string' | 'integer', known: FacetValues['years'] = []) => ({
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
