import { Type } from '@sinclair/typebox';
import { type Facet, openState } from '../../facet.ts';
import { labelIdentityBridge } from '../../sources/seen/label-identity-bridge.ts';
import { orNull } from '../../values.ts';
import type { LabelRows } from '../lanes.ts';

const description = "The label's ids elsewhere. Annotations: none of them is its key.";

export const binds: Facet<LabelRows, 'binds'> = {
  name: 'binds',
  sources: [labelIdentityBridge],
  description,
  schema: Type.Object(
    {
      catalog_label_id: orNull(Type.Number()),
      label_mbid: orNull(Type.String()),
      storefront_url: orNull(Type.String({ description: 'A link only: it is never fetched.' })),
    },
    { description },
  ),
  build(rows) {
    const bridge = rows.one(labelIdentityBridge);
    return {
      state: bridge === null ? openState(rows, [labelIdentityBridge]) : 'present',
      value: {
        catalog_label_id: rows.catalogLabelId ?? bridge?.catalog_label_id ?? null,
        label_mbid: bridge?.label_mbid ?? null,
        storefront_url: bridge?.storefront_url ?? null,
      },
    };
  },
};
