import { Type } from '@sinclair/typebox';
import { ProvenanceEntrySchema } from '../../../projections/provenance.ts';
import { orNull } from '../../../projections/values.ts';

/** What every dossier has around its facets. */

export const ContractVersion = Type.String({ description: 'Version of the dossier contract.' });

export const ResolvedVia = orNull(
  Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
    description:
      'How the key resolved: catalog, verified, or cluster, observed and unverified; null if not at all.',
  }),
);

export const ClusterId = orNull(
  Type.String({
    description: 'Cluster id, 64 hex digits, to be passed on verbatim; null where no cluster is bound.',
  }),
);

export const Provenance = Type.Array(ProvenanceEntrySchema, {
  description: 'Where the facets come from: one entry a facet and source.',
});

export const GeneratedAt = Type.String({
  format: 'date-time',
  description: 'Instant at which the dossier was served, in UTC.',
});
