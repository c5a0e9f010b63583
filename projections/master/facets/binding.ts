import { Type } from '@sinclair/typebox';
import { type Facet, fedBy } from '../../facet.ts';
import { artistIdentityBridge } from '../../sources/seen/artist-identity-bridge.ts';
import type { MasterRows } from '../master-rows.ts';

const description = 'How sure it is who made the release group.';

/** A flag on the header, whose provenance it shares. */
export const binding: Facet<MasterRows, 'binding'> = {
  name: 'binding',
  sources: [],
  description,
  schema: Type.Object(
    {
      observed: fedBy(
        artistIdentityBridge,
        Type.Boolean({
          description:
            'True where several catalogue artists folded into its name cluster: observed, unverified.',
        }),
      ),
    },
    { description },
  ),
  build({ nameBridge }) {
    const observed = nameBridge !== null && nameBridge.catalog_artist_id_count > 1;
    return { state: 'present', value: { observed } };
  },
};
