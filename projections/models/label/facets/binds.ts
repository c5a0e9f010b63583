import { Type } from '@sinclair/typebox';
import { labelIdentityBridge } from '../../../contracts/seen/label-identity-bridge.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import { linkUrl } from '../../shared/web-url.ts';
import type { LabelRows } from '../lanes.ts';

const description = "The label's ids elsewhere. Annotations: none of them is its key.";

export const binds: Facet<LabelRows, 'binds'> = {
  name: 'binds',
  sources: [labelIdentityBridge],
  description,
  schema: Type.Object(
    {
      catalog_label_id: orNull(Type.Number({ description: 'Catalogue label id; null where none is bound.' })),
      label_mbid: orNull(
        Type.String({ description: 'Id in the open metadata database, a UUID; null where none is bound.' }),
      ),
      storefront_url: orNull(
        Type.String({
          description: 'URL on the storefront, a link that is never fetched; null where unknown.',
        }),
      ),
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
        storefront_url: linkUrl(bridge?.storefront_url ?? null),
      },
    };
  },
};
