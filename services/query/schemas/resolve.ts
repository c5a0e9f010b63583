import { Type } from '@sinclair/typebox';
import { Locators } from '../../../projections/identity/answer.ts';
import { orNull } from '../../../projections/values.ts';

export const ResolveQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        description: 'Artist name, matched whole; case does not matter.',
      }),
    ),
    cluster: Type.Optional(Type.String({ description: 'Cluster id, 64 hex digits.' })),
    catalog: Type.Optional(Type.String({ description: 'Bare number of a catalogue artist.' })),
    mbid: Type.Optional(Type.String({ description: 'UUID of a metadata-database artist.' })),
  },
  { additionalProperties: false, description: 'Give exactly one.' },
);

export const ResolveBody = Type.Object({
  cluster_id: orNull(Type.String()),
  slug: orNull(Type.String()),
  display: orNull(Type.String()),
  locators: Locators,
  resolved_via: orNull(Type.Union([Type.Literal('catalog'), Type.Literal('cluster')])),
  resolved_from: Type.Union([Type.Literal('name'), Type.Literal('locator')]),
  matched_on: Type.Optional(Type.String()),
  note: Type.Optional(Type.String()),
  _links: Type.Optional(
    Type.Object({
      artist: Type.String(),
      artist_dossier_by_slug: orNull(Type.String()),
    }),
  ),
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        cluster_id: Type.String(),
        name: Type.String(),
        tier: Type.Literal('cluster'),
        distinct_events: Type.Integer(),
      }),
      {
        maxItems: 5,
        description: 'Unverified artists of the booking graph with a name close to q.',
      },
    ),
  ),
});
