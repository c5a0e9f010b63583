import { type Static, Type } from '@sinclair/typebox';
import { listFacets, MAX_VALUE_LENGTH } from '../../../projections/search/facets.ts';
import { orNull } from '../../../projections/values.ts';
import { countedFacets, MOST_SHOWN } from '../search/count-facets.ts';
import { MOST_LISTED } from '../search/list-facets.ts';

const MAX_QUERY_LENGTH = 256;
const YEARS = { minimum: 1900, maximum: 2100 };
const QUADRANT = '^[01]{3}$';

/** Null is written as an empty value. */
const integerOrNull = (minimum: number | undefined, maximum: number, description: string) =>
  Type.Optional(
    Type.Unsafe<number | null>({
      type: 'integer',
      nullable: true,
      ...(minimum === undefined ? {} : { minimum }),
      maximum,
      description,
    }),
  );

const value = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH, description }));

const values = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH }), {
      description: `${what}, repeated for several. Case does not matter.`,
    }),
  );

const mode = (what: string) =>
  Type.Optional(
    Type.Union([Type.Literal('and'), Type.Literal('or')], {
      description: `Whether all of several ${what} have to be there, or any; any where it is left out.`,
    }),
  );

const Flag = Type.Boolean({
  description: 'Whether q is plain language, to be read as words and filters. Filters given beside it win.',
});

export const SearchParameters = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: MAX_QUERY_LENGTH,
      description: 'Words of title and artist. The last one may be the beginning of a word.',
    }),
    genre: values('Genre'),
    style: values('Style'),
    format: values('Format'),
    country: values('Country'),
    label: values('Label'),
    genre_mode: mode('genres'),
    style_mode: mode('styles'),
    format_mode: mode('formats'),
    country_mode: mode('countries'),
    label_mode: mode('labels'),
    year_from: Type.Optional(Type.Integer({ ...YEARS, description: 'Year of the release group, or later.' })),
    year_to: Type.Optional(Type.Integer({ ...YEARS, description: 'Year of the release group, or earlier.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    offset: integerOrNull(0, 10_000, 'Results to leave out at the beginning.'),
    cube_quadrant: Type.Optional(
      Type.String({
        pattern: QUADRANT,
        description: 'One bit each: collectors own it, DJs play it, critics write about it.',
      }),
    ),
    dj_count_min: integerOrNull(undefined, 1_000_000, 'How often DJs have played it, at least.'),
    exclude_artist: value('Artist whose release groups are left out, as it is credited.'),
    exclude_label: value('Label whose release groups are left out.'),
    nl: Type.Optional(Flag),
  },
  { additionalProperties: false },
);
export type SearchParameters = Static<typeof SearchParameters>;

const ResultRow = Type.Object({
  master_id: Type.Integer(),
  title: Type.String(),
  artist: Type.String(),
  year: orNull(Type.Integer()),
  cube_quadrant: orNull(Type.String({ pattern: QUADRANT })),
  owner_count: orNull(Type.Integer()),
  dj_count: orNull(Type.Integer()),
  critic_count: orNull(Type.Integer()),
  formats: Type.Array(Type.String()),
  link_to_cube: Type.String({
    description:
      'Where the explorer shows it among others of its quadrant: a page for people, at the address that the operator of this service names, else at that of the service itself, which then serves no such page.',
  }),
  artist_cluster_id: orNull(
    Type.String({ description: 'Null where several artists are credited, or none is bound for sure.' }),
  ),
});

const COUNT_MODES = ['exact', 'approximate_50k_sample', 'lower_bound'] as const;

const Filter = Type.Object({
  facet: Type.String(),
  value: Type.Union([Type.String(), Type.Array(Type.String())]),
  mode: Type.Union([Type.Literal('and'), Type.Literal('or')]),
});

const Truncated = Type.Optional(
  Type.Literal(true, {
    description: 'There where there are more values than these, which are the most frequent.',
  }),
);

const Counts = Type.Object({
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
  truncated: Truncated,
  count_mode: Type.Union(
    COUNT_MODES.map((mode) => Type.Literal(mode)),
    { description: 'approximate_50k_sample: counted among the 50,000 most popular results alone.' },
  ),
});

export const SearchBody = Type.Object({
  query: Type.Object({
    q: Type.String({
      description: 'The words searched for; empty where an interpretation left filters alone.',
    }),
    filters: Type.Array(Filter),
  }),
  interpretation: Type.Optional(
    Type.Object(
      {
        engine: Type.Union([Type.Literal('model'), Type.Literal('grammar')]),
        confidence: Type.Number(),
        unmatched: Type.Array(Type.String()),
      },
      { description: 'How q was read, only where nl was asked for.' },
    ),
  ),
  pagination: Type.Object({
    page: Type.Integer({ description: 'From 1; of pages as long as limit.' }),
    total_pages: orNull(Type.Integer()),
    total_results: Type.Integer(),
    total_results_mode: Type.Union(COUNT_MODES.map((mode) => Type.Literal(mode))),
  }),
  facets: Type.Object(Object.fromEntries(countedFacets.map((facet) => [facet, Counts])), {
    description: `The ${MOST_SHOWN} most frequent values among the results, each under its commonest spelling with all release groups that a filter by it finds.`,
  }),
  freshness: Type.Object({
    ridden_lag_s: orNull(
      Type.Number({ description: 'Seconds that what is searched is behind the read model, at most.' }),
    ),
    mirror_lag_s: orNull(
      Type.Number({
        description: 'Seconds that the read model is behind the producers; null where not measured.',
      }),
    ),
  }),
  results: Type.Array(ResultRow),
  telemetry: Type.Object({
    search_event_id: Type.String({ format: 'uuid' }),
    beacon_token: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
  }),
});
export type SearchBody = Static<typeof SearchBody>;

const FacetEntry = Type.Object({
  type: Type.Union([Type.Literal('string'), Type.Literal('integer')]),
  modes: Type.Array(Type.Union([Type.Literal('and'), Type.Literal('or')]), {
    description: 'How several values can be combined; empty where there is only one.',
  }),
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }), {
    description: `What is there to filter by, with the number of release groups; of labels the ${MOST_LISTED} most frequent. Empty where any value will do. Spellings that differ in case alone are one value, under the commonest.`,
  }),
  truncated: Truncated,
});

/** The filters of the search: those of several values, and the others. */
const filterNames = [
  ...listFacets,
  'year_from',
  'year_to',
  'cube_quadrant',
  'dj_count_min',
  'exclude_artist',
  'exclude_label',
] as const;

export const FacetsBody = Type.Object({
  object: Type.Literal('facets.index'),
  facets: Type.Object(Object.fromEntries(filterNames.map((name) => [name, FacetEntry]))),
  generated_at: Type.String({ format: 'date-time' }),
});
