import { type Static, Type } from '@sinclair/typebox';
import { BrowseItem } from '../../../projections/browse/item.ts';
import { MOST_FILTER_CHARACTERS } from '../../../projections/browse/places.ts';
import { orNull } from '../../../projections/values.ts';

/** Browsing is for the head of a list; further down, search is. */
export const MOST_BROWSED = 500;
const DEFAULT_LIMIT = 50;
const MOST_A_PAGE = 100;

const oneOf = <T extends string>(values: readonly T[], options: object) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options });

const filter = (what: string) =>
  Type.Optional(
    Type.String({
      maxLength: MOST_FILTER_CHARACTERS,
      description: `Primary ${what}, exact and case sensitive. One that nobody has is answered with a note.`,
    }),
  );

const Tier = oneOf(['breakout', 'rising', 'steady'], {
  description: 'Only artists whose tier of emergence is this one now.',
});
const Sort = oneOf(['discovery', 'reach'], {
  default: 'discovery',
  description:
    'discovery: by tier of emergence, breakout, rising, climbing, steady, untracked; then by momentum; then by owners. reach: by owners.',
});

export const ArtistsQuery = Type.Object(
  {
    genre: filter('genre'),
    style: filter('style'),
    tier: Type.Optional(Tier),
    sort: Sort,
    limit: Type.Integer({ minimum: 1, maximum: MOST_A_PAGE, default: DEFAULT_LIMIT }),
    offset: Type.Optional(
      Type.Unsafe<number | null>({
        type: 'integer',
        nullable: true,
        minimum: 0,
        description: `Items to skip. With limit, at most ${MOST_BROWSED}.`,
      }),
    ),
  },
  { additionalProperties: false },
);
export type ArtistsQuery = Static<typeof ArtistsQuery>;

export const ArtistsBody = Type.Object({
  object: Type.Literal('artist.browse'),
  state: Type.Union([Type.Literal('present'), Type.Literal('degraded')], {
    description: 'degraded where the list could not be read; items is empty then.',
  }),
  returned: Type.Integer({ description: 'How many items there are in this answer.' }),
  filters_applied: Type.Object({
    genre: orNull(Type.String()),
    style: orNull(Type.String()),
    tier: orNull(Type.String()),
    sort: Type.String(),
  }),
  items: Type.Array(BrowseItem, { maxItems: MOST_A_PAGE }),
  note: Type.Optional(Type.String()),
  _links: Type.Optional(Type.Object({ next: Type.String({ description: 'Path of the next page.' }) })),
});
export type ArtistsBody = Static<typeof ArtistsBody>;
