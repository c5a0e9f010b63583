import { Type } from '@sinclair/typebox';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import type { Facet } from '../../../engine/facet.ts';
import { isOverMerge } from '../../artist/lanes.ts';
import type { MasterRows } from '../master-rows.ts';

const description = 'How certain the artist of the release group is.';

export const binding: Facet<MasterRows, 'binding'> = {
  name: 'binding',
  sources: [artistIdentityBridge],
  rowsOf: (rows) => rows.ofNameCluster,
  description,
  schema: Type.Object(
    {
      observed: Type.Boolean({
        description: 'True if several catalogue artists folded into its name cluster: observed, unverified.',
      }),
    },
    { description },
  ),
  build({ nameBridge }) {
    return { state: 'present', value: { observed: isOverMerge(nameBridge) } };
  },
};
