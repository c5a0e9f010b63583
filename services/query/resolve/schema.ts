import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/engine/values.ts';
import { Identity } from '../../../projections/models/identity/identity.ts';

const parameter = (description: string) => Type.Optional(Type.String({ description }));

export const ResolveQuery = Type.Object(
  {
    url: parameter("Pasted link to an artist's page. Never fetched."),
    q: parameter('Artist name, matched whole, case-insensitive.'),
    cluster: parameter('Cluster id, 64 lower-case hex digits.'),
    catalog: parameter('Catalogue artist id, digits only.'),
    mbid: parameter('Artist UUID of the metadata database.'),
    isrc: parameter(
      'ISRC of a recording; resolves to its primary performer. Hyphens and spaces are ignored.',
    ),
    artist: parameter('Artist as credited on a recording. Requires track.'),
    track: parameter('Title of the recording. Requires artist. Case and punctuation are ignored.'),
  },
  {
    additionalProperties: false,
    description:
      'Give exactly one locator; artist and track count as one. q is ignored if isrc or artist and track are given.',
  },
);

const Candidate = Type.Object({
  cluster_id: Type.String(),
  name: Type.String(),
  tier: Type.Literal('cluster'),
  distinct_events: Type.Integer(),
});

/** @param what the text that the names resemble */
export const candidatesOf = (what: string) =>
  Type.Array(Candidate, {
    maxItems: 5,
    description: `Unverified artists of the booking graph with names similar to ${what}.`,
  });

const ParsedLink = Type.Object(
  {
    source: orNull(Type.String({ description: 'Site of the link; null if the site is unknown.' })),
    kind: Type.Union(
      ['id', 'page', 'website', 'name', 'none'].map((kind) => Type.Literal(kind)),
      { description: 'How the URL names the artist.' },
    ),
    id: orNull(Type.String({ description: 'Id, page, host or name in the URL.' })),
    canonical_url: orNull(Type.String()),
  },
  { description: 'Parts of the link. Present only for url.' },
);

export const resolveProperties = {
  cluster_id: orNull(Type.String()),
  slug: orNull(Type.String()),
  display: orNull(Type.String()),
  locators: Identity.properties.locators,
  resolved_via: orNull(
    Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
      description: 'Binding tier: catalog (verified) or cluster (observed, unverified).',
    }),
  ),
  resolved_from: Type.Union([Type.Literal('url'), Type.Literal('name'), Type.Literal('locator')], {
    description: 'Kind of locator in the request: a pasted link, a name, or a structured id.',
  }),
  matched_on: Type.Optional(
    Type.String({
      description:
        'What matched the artist: name, cluster, catalog, mbid, isrc, artist_track, website or the site of a page.',
    }),
  ),
  note: Type.Optional(Type.String()),
  parsed: Type.Optional(ParsedLink),
  _links: Identity.properties._links,
  candidates: Type.Optional(candidatesOf('q')),
};

export const ResolveBody = Type.Object(resolveProperties);
export type ResolveBody = Static<typeof ResolveBody>;
