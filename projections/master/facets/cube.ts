import { Type } from '@sinclair/typebox';
import { type Facet, openState } from '../../facet.ts';
import { catalogMasterCube } from '../../sources/catalog/master-cube.ts';
import { orNull } from '../../values.ts';
import type { MasterRows } from '../master-rows.ts';

const QUADRANT = '^[01]{3}$';
const isQuadrant = new RegExp(QUADRANT);

const description = 'Who takes the release group up. How many own it is not told here.';

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
            'One bit each: collectors own it, DJs play it, critics write about it. Null: unclassified.',
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
