import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/values.ts';

const MOST_RESULTS = 50;
const DEFAULT_RESULTS = 20;
const MOST_TRACKS = 50;
const MAX_TITLE_LENGTH = 300;
const MAX_ARTIST_LENGTH = 1_000;

const oneOf = <const V extends readonly string[]>(values: V, description: string, fallback: V[number]) =>
  Type.Optional(Type.Unsafe<V[number]>({ type: 'string', enum: values, default: fallback, description }));

export const TracksQuery = Type.Object(
  {
    title: Type.String({
      description: 'Title, matched whole whatever its case and punctuation; with fuzzy a part of titles.',
    }),
    fuzzy: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether title is a part of titles, of at least 3 characters.',
      }),
    ),
    source: oneOf(
      ['mb', 'storefront', 'all'],
      'mb: tracks of the metadata database; storefront: what is sold there, self-released titles too; all: both, merged per cluster.',
      'mb',
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_RESULTS, default: DEFAULT_RESULTS })),
  },
  { additionalProperties: false },
);
/** Validation fills in what was left out. */
export type TracksQuery = Required<Static<typeof TracksQuery>>;

const State = Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
  description: 'degraded: at least one source could not be read, so that results may be missing.',
});
const Source = Type.Union([Type.Literal('mb'), Type.Literal('storefront')]);

export const TracksBody = Type.Object({
  state: State,
  source: Type.Union([Type.Literal('mb'), Type.Literal('storefront'), Type.Literal('all')]),
  mode: Type.Union([Type.Literal('exact'), Type.Literal('fuzzy')]),
  titleQuery: Type.String({ description: 'The title as it was asked for.' }),
  normalized: Type.String({
    description: 'What was compared: exact, letters and digits in lower case; fuzzy, the part in lower case.',
  }),
  truncated: Type.Boolean({
    description:
      'Whether more titles match than are looked at, or with fuzzy the time for looking was up, so that the order is that of a bounded sample and results may be missing.',
  }),
  count: Type.Integer({ description: 'Results in this answer.' }),
  results: Type.Array(
    Type.Object({
      artistCredit: orNull(Type.String({ description: 'The artist as credited; descriptive only.' })),
      clusterId: Type.String({ description: 'Cluster id of the artist.' }),
      releases: Type.Integer({
        description:
          "Releases that carry the artist's version; on the storefront its items. For all, the sum.",
      }),
      recordings: Type.Integer({ description: 'Recordings of the title by the artist.' }),
      sources: Type.Array(Source),
      _links: Type.Object({
        artist: Type.String(),
        artist_dossier: Type.String(),
      }),
    }),
    {
      maxItems: MOST_RESULTS,
      description: 'Artists, those whose version is on most releases first; then by recordings, then by id.',
    },
  ),
});
export type TracksBody = Static<typeof TracksBody>;

const WANTS = ['duration', 'fingerprint'] as const;
export type Want = (typeof WANTS)[number];

/** Said as a list of types, for a null must not be taken for an empty text, nor the reverse. */
const nullable = <T>(
  type: 'string' | 'integer' | 'number',
  options: { description: string; maxLength?: number },
) => Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'], ...options }));

const Title = Type.String({ minLength: 1, maxLength: MAX_TITLE_LENGTH });
const ARTIST = {
  maxLength: MAX_ARTIST_LENGTH,
  description:
    'Artist as credited; blank, or what says that it is not known, looks the title up alone, on the storefront only.',
};

export const TracksResolveBody = Type.Object(
  {
    want: Type.Optional(
      Type.Array(Type.Unsafe<Want>({ type: 'string', enum: WANTS }), {
        description: 'What is asked for; duration where it is left out.',
      }),
    ),
    tracks: Type.Array(
      Type.Object(
        {
          artist: nullable<string>('string', ARTIST),
          title: Title,
          year: nullable<number>('integer', { description: 'Accepted, not used.' }),
          duration_hint_s: nullable<number>('number', { description: 'Accepted, not used.' }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MOST_TRACKS },
    ),
  },
  { additionalProperties: false },
);

const LIST = `^(?:${WANTS.join('|')})(?:,(?:${WANTS.join('|')}))*$`;

export const TrackResolveQuery = Type.Object(
  {
    artist: Type.Optional(Type.String(ARTIST)),
    title: Title,
    want: Type.Optional(
      Type.Array(Type.String({ pattern: LIST }), {
        description: 'What is asked for, separated by commas; duration where it is left out.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** What the query of one track asks for. */
export const wantsIn = (want: readonly string[] | undefined): Want[] | undefined =>
  want?.flatMap((list) => WANTS.filter((known) => list.split(',').includes(known)));

/** How sure it is that a track is the one asked for, by what of it matched. */
export const CONFIDENCE = { exact: 1, withoutVersion: 0.8, titleOnly: 0.5, none: 0 } as const;

export const TracksResolveResults = Type.Object({
  state: State,
  results: Type.Array(
    Type.Object({
      query_index: Type.Integer({ description: 'Place in tracks, from 0.' }),
      matched: Type.Boolean({ description: 'false is a gap in what is known, not an error.' }),
      confidence: Type.Number({
        minimum: 0,
        maximum: 1,
        description: `${CONFIDENCE.exact}: artist and title; ${CONFIDENCE.withoutVersion}: without guests and what names the version; ${CONFIDENCE.titleOnly}: the title alone; ${CONFIDENCE.none}: not matched.`,
      }),
      artist: orNull(
        Type.String({ description: 'The artist as credited where the track was found; else as asked for.' }),
      ),
      title: Type.String({ description: 'The title as it was asked for.' }),
      release_title: orNull(Type.String({ description: 'Storefront only.' })),
      storefront_item_id: orNull(Type.String({ description: 'Storefront only.' })),
      track_url: orNull(Type.String({ description: 'Storefront only: a page, never a playable stream.' })),
      duration_s: orNull(
        Type.Integer({ description: 'Whole seconds; null where it is not known, or not wanted.' }),
      ),
      source: orNull(Source),
      fingerprint: Type.Null({ description: 'Always null: none are stored.' }),
    }),
    { description: 'One for each track, in their order.' },
  ),
  unsupported: Type.Array(Type.Object({ want: Type.String(), reason: Type.String() }), {
    description: 'What is wanted and cannot be had, with the reason.',
  }),
});
export type TracksResolveResults = Static<typeof TracksResolveResults>;
