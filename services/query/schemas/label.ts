import { Type } from '@sinclair/typebox';
import { facets } from '../../../projections/label/facets/index.ts';
import { ProvenanceEntrySchema } from '../../../projections/provenance.ts';
import { orNull } from '../../../projections/values.ts';

/** A label dossier as served. */
export const LabelDossierBody = Type.Object(
  {
    contract_version: Type.String(),
    grain: Type.Literal('label'),
    slug: Type.String(),
    display: Type.String(),
    id: orNull(Type.Integer({ description: 'Catalogue label id.' })),
    cluster_id: orNull(Type.String({ description: '64 hex digits; pass it on verbatim.' })),
    resolved_via: orNull(Type.Union([Type.Literal('catalog'), Type.Literal('cluster')])),
    ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
    over_merge: Type.Optional(
      Type.Object(
        {
          catalog_label_id_count: Type.Integer({ minimum: 2 }),
          folded: Type.Literal(true),
        },
        {
          description:
            'Only where several catalogue labels folded into the cluster: nothing here speaks for one of them alone.',
        },
      ),
    ),
    provenance: Type.Array(ProvenanceEntrySchema),
    generated_at: Type.String({ format: 'date-time' }),
  },
  { description: 'Everything known of one label, by facet, and where it comes from.' },
);
