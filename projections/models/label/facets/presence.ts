import { Type } from '@sinclair/typebox';
import { labelIdentityBridge } from '../../../contracts/seen/label-identity-bridge.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import type { LabelRows } from '../lanes.ts';

const description = 'Which sources have the label, as flags.';

export const presence: Facet<LabelRows, 'presence'> = {
  name: 'presence',
  sources: [labelIdentityBridge],
  description,
  schema: Type.Object(
    {
      has_catalog: Type.Boolean({ description: 'Whether the catalogue has the label.' }),
      has_storefront: Type.Boolean({ description: 'Whether the storefront has the label.' }),
      has_seen_momentum: Type.Boolean({ description: 'Whether DJ sets were seen to play the label.' }),
      has_editorial: Type.Boolean({ description: 'Whether editors wrote about the label.' }),
    },
    { description },
  ),
  build(rows) {
    const bridge = rows.one(labelIdentityBridge);
    return {
      state: bridge === null ? openState(rows, [labelIdentityBridge]) : 'present',
      value: {
        // A catalogue label is in the catalogue, with or without a bridge.
        has_catalog: rows.catalogLabelId !== null || (bridge?.has_catalog ?? false),
        has_storefront: bridge?.has_storefront ?? false,
        has_seen_momentum: bridge?.has_seen_momentum ?? false,
        has_editorial: bridge?.has_editorial ?? false,
      },
    };
  },
};
