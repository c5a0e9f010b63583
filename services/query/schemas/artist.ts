import { Type } from '@sinclair/typebox';
import { facets } from '../../../projections/artist/facets/index.ts';
import { ProvenanceEntrySchema } from '../../../projections/provenance.ts';
import { orNull } from '../../../projections/values.ts';

/** Members that are in every artist dossier, whatever `fields` says. */
export const envelopeNames: ReadonlySet<string> = new Set([
  'contract_version',
  'grain',
  'slug',
  'display',
  'id',
  'cluster_id',
  'resolved_via',
  'identity',
  'generated_at',
  '_links',
]);

const facetSchemas = Object.fromEntries(
  facets.map(({ name, schema }) => [name, envelopeNames.has(name) ? schema : Type.Optional(schema)]),
);

/** An artist dossier as served. Facets are optional because `fields` may leave them out. */
export const ArtistDossierBody = Type.Object(
  {
    contract_version: Type.String(),
    grain: Type.Literal('artist'),
    slug: Type.String(),
    display: Type.String(),
    id: orNull(Type.Integer({ description: 'Catalogue artist id.' })),
    cluster_id: orNull(Type.String({ description: '64 hex digits; pass it on verbatim.' })),
    resolved_via: orNull(Type.Union([Type.Literal('catalog'), Type.Literal('cluster')])),
    _links: Type.Object({
      self: Type.String(),
      cluster: Type.Optional(Type.String()),
    }),
    ...facetSchemas,
    provenance: Type.Optional(Type.Array(ProvenanceEntrySchema)),
    generated_at: Type.String({ format: 'date-time' }),
  },
  {
    description: 'Everything known of one artist, by facet, and where it comes from.',
  },
);

export const ArtistQuery = Type.Object(
  {
    fields: Type.Optional(
      Type.String({
        description: 'Facets to keep, separated by commas; the envelope is always there.',
      }),
    ),
  },
  { additionalProperties: false },
);
