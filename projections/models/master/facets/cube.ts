import { Type } from '@sinclair/typebox';
import { catalogMasterCube } from '../../../contracts/catalog/master-cube.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import type { MasterRows } from '../master-rows.ts';

const QUADRANT = '^[01]{3}$';
const isQuadrant = new RegExp(QUADRANT);

const description = 'Who picks up the release group. The number of owners is not published here.';

export const cube: Facet<MasterRows, 'cube'> = {
  name: 'cube',
  sources: [catalogMasterCube],
  description,
  schema: Type.Object(
    {
      quadrant: orNull(
        Type.String({
          pattern: QUADRANT,
          description:
            'One bit each: collectors own it, DJs play it, critics write about it. Null: unclassified. The producer sets a bit by more signals than it counts, so a bit may be set while its count is null or 0.',
        }),
      ),
      djCount: orNull(Type.Integer()),
      criticCount: orNull(Type.Integer()),
    },
    { description },
  ),
  build(rows) {
    const row = rows.one(catalogMasterCube);
    const quadrant = row?.cube_quadrant ?? null;
    return {
      state: row === null ? openState(rows, [catalogMasterCube]) : 'present',
      value: {
        quadrant: quadrant !== null && isQuadrant.test(quadrant) ? quadrant : null,
        djCount: row?.dj_count ?? null,
        criticCount: row?.critic_count ?? null,
      },
    };
  },
};
