import { type Static, type TSchema, Type } from '@sinclair/typebox';

const MOST_VALUES = 20;
const MOST_CHARACTERS = 256;

const text = Type.String({ maxLength: MOST_CHARACTERS });
const Values = Type.Union([Type.Array(text, { maxItems: MOST_VALUES }), Type.Null()]);
const Mode = Type.Union([Type.Literal('and'), Type.Literal('or'), Type.Null()]);
const Text = Type.Union([text, Type.Null()]);
const integer = (minimum: number, maximum: number) =>
  Type.Union([Type.Integer({ minimum, maximum }), Type.Null()]);

/** The filters of a model; null for an unused filter. */
const ModelFilters = Type.Object(
  {
    genre: Values,
    style: Values,
    format: Values,
    country: Values,
    label: Values,
    genre_mode: Mode,
    style_mode: Mode,
    format_mode: Mode,
    country_mode: Mode,
    label_mode: Mode,
    year_from: integer(1900, 2100),
    year_to: integer(1900, 2100),
    cube_quadrant: Type.Union([Type.String({ pattern: '^[01]{3}$' }), Type.Null()]),
    dj_count_min: integer(0, 1_000_000),
    exclude_artist: Text,
    exclude_label: Text,
  },
  { additionalProperties: false },
);

/** The requested form of an answer. Every member is required, as constrained decoding expects. */
export const RequestedAnswer = Type.Object(
  {
    q: Type.String({ maxLength: MOST_CHARACTERS }),
    filters: ModelFilters,
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    unmatched: Type.Array(text, { maxItems: MOST_VALUES }),
  },
  { additionalProperties: false },
);

const lenient = <T extends Record<string, TSchema>>(properties: T) => Type.Partial(Type.Object(properties));

/** The accepted form: missing members mean null, unknown members are ignored. */
export const AcceptedAnswer = Type.Object({
  q: RequestedAnswer.properties.q,
  filters: lenient(ModelFilters.properties),
  confidence: Type.Optional(RequestedAnswer.properties.confidence),
  unmatched: Type.Optional(RequestedAnswer.properties.unmatched),
});
export type AcceptedAnswer = Static<typeof AcceptedAnswer>;
