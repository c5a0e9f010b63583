import { Type } from '@sinclair/typebox';
import { fromSource } from '../../../projections/engine/facet.ts';
import { ProvenanceEntrySchema } from '../../../projections/engine/provenance.ts';
import { orNull } from '../../../projections/engine/values.ts';

/** The members that every dossier has around its facets. */

export const ContractVersion = Type.String({ description: 'Version of the dossier contract.' });

const ResolvedVia = orNull(
  Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
    description:
      'How the key resolved: catalog (verified) or cluster (observed, unverified); null if it did not resolve.',
  }),
);

const ClusterId = orNull(
  Type.String({
    description: 'Cluster id, 64 hex digits. Pass it on verbatim. Null if no cluster is bound.',
  }),
);

export const Provenance = Type.Array(ProvenanceEntrySchema, {
  description: 'Where the facets come from: one entry per field and source.',
});

export const GeneratedAt = Type.String({
  format: 'date-time',
  description: 'When the dossier was served, in UTC.',
});

const WITH_ARTICLE = { artist: 'an artist', label: 'a label' } as const;

/**
 * The members of an artist's or a label's dossier before its facets.
 *
 * @param bridge contract of the source of cluster ids
 */
export const identityHead = <Grain extends 'artist' | 'label'>(
  grain: Grain,
  bridge: Parameters<typeof fromSource>[0],
) => ({
  contract_version: ContractVersion,
  grain: Type.Literal(grain, { description: 'What the dossier is about.' }),
  slug: Type.String({
    description: `The ${grain}'s own slug in lower case, or the requested key if it did not resolve.`,
  }),
  display: Type.String({ description: `The ${grain}'s display name, or the slug if no source has a name.` }),
  id: orNull(
    Type.Integer({
      description: `Catalogue ${grain} id; null for ${WITH_ARTICLE[grain]} found by cluster, or not resolved.`,
    }),
  ),
  cluster_id: fromSource(bridge, ClusterId),
  resolved_via: ResolvedVia,
});
