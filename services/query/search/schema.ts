import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/engine/values.ts';
import { MAX_VALUE_LENGTH } from '../../../projections/models/search/facets.ts';
import { countedFacets, MOST_SHOWN } from './count-facets.ts';

const MAX_QUERY_LENGTH = 256;
const YEARS = { minimum: 1900, maximum: 2100 };
const QUADRANT = '^[01]{3}$';

/** An empty value means null. */
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
      description: `${what}, case-insensitive. Repeat for several.`,
    }),
  );

const mode = (what: string) =>
  Type.Optional(
    Type.Union([Type.Literal('and'), Type.Literal('or')], {
      description: `Match all ${what} or any of them (default: any).`,
    }),
  );

const Flag = Type.Boolean({
  description: 'Whether to interpret q as plain language. Explicit filters take precedence.',
});

export const SearchParameters = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: MAX_QUERY_LENGTH,
      description: 'Words of title and artist. The last word may be a prefix.',
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
    year_from: Type.Optional(Type.Integer({ ...YEARS, description: 'Earliest year of the release group.' })),
    year_to: Type.Optional(Type.Integer({ ...YEARS, description: 'Latest year of the release group.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    offset: integerOrNull(0, 10_000, 'Results to skip.'),
    cube_quadrant: Type.Optional(
      Type.String({
        pattern: QUADRANT,
        description: 'Three bits: owned by collectors, played by DJs, reviewed by critics.',
      }),
    ),
    dj_count_min: integerOrNull(undefined, 1_000_000, 'Minimum number of DJ plays.'),
    exclude_artist: value('Artist to exclude, as credited.'),
    exclude_label: value('Label to exclude.'),
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
  cube_quadrant: orNull(
    Type.String({
      pattern: QUADRANT,
      description:
        'One bit each: collectors own it, DJs play it, critics write about it. Null: unclassified. The producer sets bits by more signals than it counts, so a bit may be set while its count is null or 0.',
    }),
  ),
  owner_count: orNull(Type.Integer()),
  dj_count: orNull(Type.Integer()),
  critic_count: orNull(Type.Integer()),
  formats: Type.Array(Type.String()),
  link_to_cube: Type.String({
    description:
      'Link to the explorer, a web page that shows the release group in its quadrant. Uses the configured explorer URL, else the URL of this service, which has no such page.',
  }),
  artist_cluster_id: orNull(
    Type.String({
      description: 'Null if several artists are credited or no cluster is bound with certainty.',
    }),
  ),
});

const COUNT_MODES = ['exact', 'approximate_50k_sample', 'lower_bound'] as const;

const Filter = Type.Object({
  facet: Type.String(),
  value: Type.Union([Type.String(), Type.Array(Type.String())]),
  mode: Type.Union([Type.Literal('and'), Type.Literal('or')]),
});

export const Truncated = Type.Optional(
  Type.Literal(true, {
    description: 'Present if further, less frequent values exist.',
  }),
);

const Counts = Type.Object({
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
  truncated: Truncated,
  count_mode: Type.Union(
    COUNT_MODES.map((mode) => Type.Literal(mode)),
    { description: 'approximate_50k_sample: counted among the 50,000 most popular results only.' },
  ),
});

export const SearchBody = Type.Object({
  query: Type.Object({
    q: Type.String({
      description: 'The searched words; empty if an interpretation found only filters.',
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
      { description: 'How q was interpreted. Present only with nl.' },
    ),
  ),
  pagination: Type.Object({
    page: Type.Integer({ description: 'Page number from 1, for pages of limit results.' }),
    total_pages: orNull(Type.Integer()),
    total_results: Type.Integer(),
    total_results_mode: Type.Union(COUNT_MODES.map((mode) => Type.Literal(mode))),
  }),
  facets: Type.Object(Object.fromEntries(countedFacets.map((facet) => [facet, Counts])), {
    description: `The ${MOST_SHOWN} most frequent values among the results, in their commonest spelling, with the number of results of a filter by each.`,
  }),
  freshness: Type.Object({
    ridden_lag_s: orNull(
      Type.Number({ description: 'Maximum seconds that the search index is behind the read model.' }),
    ),
    mirror_lag_s: orNull(
      Type.Number({
        description: 'Seconds that the read model is behind the producers; null if not measured.',
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
