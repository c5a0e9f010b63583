import { Type } from '@sinclair/typebox';
import { fedBy } from '../../../projections/facet.ts';
import { facets } from '../../../projections/label/facets/index.ts';
import { labelIdentityBridge } from '../../../projections/sources/seen/label-identity-bridge.ts';
import { orNull } from '../../../projections/values.ts';
import { ClusterId, ContractVersion, GeneratedAt, Provenance, ResolvedVia } from './envelope.ts';

/** A label dossier as served. */
export const LabelDossierBody = Type.Object(
  {
    contract_version: ContractVersion,
    grain: Type.Literal('label', { description: 'What the dossier is about.' }),
    slug: Type.String({ description: "The label's own slug, in lower case; else the key that was asked." }),
    display: Type.String({ description: "The label's display name; the slug where no source names it." }),
    id: orNull(
      Type.Integer({
        description: 'Catalogue label id; null for a label entered by cluster, or unresolved.',
      }),
    ),
    cluster_id: fedBy(labelIdentityBridge, ClusterId),
    resolved_via: ResolvedVia,
    ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
    over_merge: Type.Optional(
      fedBy(
        labelIdentityBridge,
        Type.Object(
          {
            catalog_label_id_count: Type.Integer({
              minimum: 2,
              description: 'Catalogue labels that folded into the cluster.',
            }),
            folded: Type.Literal(true, { description: 'Always true: several labels are one cluster here.' }),
          },
          {
            description:
              'Only where several catalogue labels folded into the cluster: nothing here speaks for one of them alone.',
          },
        ),
      ),
    ),
    provenance: Provenance,
    generated_at: GeneratedAt,
  },
  { description: 'Everything known of one label, by facet, and where it comes from.' },
);
