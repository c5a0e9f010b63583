import { Type } from '@sinclair/typebox';
import { catalogLabelCoOwnership } from '../../../contracts/catalog/label-co-ownership.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { FacetState } from '../../../engine/provenance.ts';
import { orNull } from '../../../engine/values.ts';
import { labelPath } from '../../shared/links.ts';
import { type LabelRows, publishedPairs, SUPPORT_FLOOR } from '../lanes.ts';

const LIMIT = 50;

const description = 'Labels that the same collectors own, the nearest first.';

/** The list is a member next to `state`, without `signals`. */
export const travels: Facet<LabelRows, 'travels'> = {
  name: 'travels',
  sources: [catalogLabelCoOwnership],
  description,
  schema: Type.Object(
    {
      state: FacetState,
      related: Type.Array(
        Type.Object(
          {
            clusterId: Type.String({ description: 'Cluster id of the other label, 64 hex digits.' }),
            labelName: orNull(Type.String({ description: 'Name of the other label; null where unknown.' })),
            npmi: Type.Number({ description: 'Relative affinity: it only orders the list.' }),
            support: Type.Number({ description: `Collectors who own both, at least ${SUPPORT_FLOOR}.` }),
            _links: Type.Object(
              { label: Type.String({ description: "Path of the other label's dossier." }) },
              { description: 'Onward paths.' },
            ),
          },
          { description: 'One label that the same collectors own.' },
        ),
        { maxItems: LIMIT, description: 'The labels that the same collectors own, the nearest first.' },
      ),
    },
    { description },
  ),
  build(rows) {
    const related = sorted(
      publishedPairs(rows),
      descending(({ npmi }) => npmi),
      descending(({ support }) => support),
      ascending((row) => row.other_cluster_id),
    )
      .slice(0, LIMIT)
      .map((row) => ({
        clusterId: row.other_cluster_id,
        labelName: row.other_label_name,
        npmi: row.npmi,
        support: row.support,
        _links: { label: labelPath(row.other_cluster_id) },
      }));
    const state = related.length > 0 ? 'present' : openState(rows, [catalogLabelCoOwnership]);
    return { state, value: { state, related } };
  },
};
