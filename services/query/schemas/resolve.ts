import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Identity } from '../../../projections/identity/answer.ts';
import { orNull } from '../../../projections/values.ts';
import { ErrorBody } from '../errors.ts';

const parameter = (description: string) => Type.Optional(Type.String({ description }));

export const ResolveQuery = Type.Object(
  {
    url: parameter("Link to an artist's page as it was pasted. Never fetched."),
    q: parameter('Artist name, matched whole; case does not matter.'),
    cluster: parameter('Cluster id, 64 hex digits.'),
    catalog: parameter('Bare number of a catalogue artist.'),
    mbid: parameter('UUID of a metadata-database artist.'),
    isrc: parameter(
      'ISRC of a recording, for its primary performing artist; hyphens and spaces do not matter.',
    ),
    artist: parameter('Artist as credited on a recording; together with track.'),
    track: parameter('Title of the recording; together with artist. Case and punctuation do not matter.'),
  },
  {
    additionalProperties: false,
    description:
      'Give exactly one, or artist with track. Beside isrc or artist with track, q does not count.',
  },
);

const Candidate = Type.Object({
  cluster_id: Type.String(),
  name: Type.String(),
  tier: Type.Literal('cluster'),
  distinct_events: Type.Integer(),
});

const ParsedLink = Type.Object(
  {
    source: orNull(Type.String({ description: 'Site; null for one that is not known.' })),
    kind: Type.Union(
      ['id', 'page', 'website', 'name', 'none'].map((kind) => Type.Literal(kind)),
      { description: 'What the address names the artist by.' },
    ),
    id: orNull(Type.String({ description: 'Id, page, host or name that the address holds.' })),
    canonical_url: orNull(Type.String()),
  },
  { description: 'What was read from the link alone; only where url was asked for.' },
);

const answer = {
  cluster_id: orNull(Type.String()),
  slug: orNull(Type.String()),
  display: orNull(Type.String()),
  locators: Identity.properties.locators,
  resolved_via: orNull(
    Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
      description: 'How far the answer is to be trusted: catalog, verified, or cluster, observed.',
    }),
  ),
  resolved_from: Type.Union([Type.Literal('url'), Type.Literal('name'), Type.Literal('locator')], {
    description: 'What was asked with: a pasted link, a name, or a structured id.',
  }),
  matched_on: Type.Optional(
    Type.String({
      description:
        'What the artist was found by: name, cluster, catalog, mbid, isrc, artist_track, website or the site of a page.',
    }),
  ),
  note: Type.Optional(Type.String()),
  parsed: Type.Optional(ParsedLink),
  _links: Identity.properties._links,
  candidates: Type.Optional(
    Type.Array(Candidate, {
      maxItems: 5,
      description: 'Unverified artists of the booking graph with a name close to q.',
    }),
  ),
};

export const ResolveBody = Type.Object(answer);
export type ResolveBody = Static<typeof ResolveBody>;

const MAX_BATCH = 100;

export const ResolveBatchBody = Type.Object(
  {
    locators: Type.Array(
      Type.Object({}, { description: 'One locator, as the query of GET /api/v2/resolve takes it.' }),
      { minItems: 1, maxItems: MAX_BATCH },
    ),
  },
  { additionalProperties: false },
);

const indexed = (properties: Readonly<Record<string, TSchema>>) =>
  Type.Object({ index: Type.Integer({ description: 'Place in locators, from 0.' }), ...properties });

export const ResolveBatchResults = Type.Object({
  results: Type.Array(Type.Union([indexed(answer), indexed(ErrorBody.properties)]), {
    description: 'One for each locator, in their order: an answer, or the error of that locator alone.',
  }),
});
