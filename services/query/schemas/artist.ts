import { Type } from '@sinclair/typebox';
import { facets } from '../../../projections/artist/facets/index.ts';
import { fedBy } from '../../../projections/facet.ts';
import { artistIdentityBridge } from '../../../projections/sources/seen/artist-identity-bridge.ts';
import { orNull } from '../../../projections/values.ts';
import { ClusterId, ContractVersion, GeneratedAt, Provenance, ResolvedVia } from './envelope.ts';

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
    contract_version: ContractVersion,
    grain: Type.Literal('artist', { description: 'What the dossier is about.' }),
    slug: Type.String({ description: "The artist's own slug, in lower case; else the key that was asked." }),
    display: Type.String({ description: "The artist's display name; the slug where no source names it." }),
    id: orNull(
      Type.Integer({
        description: 'Catalogue artist id; null for an artist entered by cluster, or unresolved.',
      }),
    ),
    cluster_id: fedBy(artistIdentityBridge, ClusterId),
    resolved_via: ResolvedVia,
    _links: Type.Object(
      {
        self: Type.String({ description: 'Path of this dossier.' }),
        cluster: Type.Optional(
          Type.String({ description: 'Path of the dossier of the cluster bound to this catalogue artist.' }),
        ),
      },
      { description: 'Onward paths.' },
    ),
    ...facetSchemas,
    provenance: Type.Optional(Provenance),
    generated_at: GeneratedAt,
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
