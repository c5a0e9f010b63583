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
            'One bit each: collectors own it, DJs play it, critics write about it. Null: unclassified. A bit may be set while its count is null or 0; the note in the provenance of cube then says why.',
        }),
      ),
      djCount: orNull(Type.Integer()),
      criticCount: orNull(Type.Integer()),
    },
    { description },
  ),
  build(rows) {
    const row = rows.one(catalogMasterCube);
    const given = row?.cube_quadrant ?? null;
    const quadrant = given !== null && isQuadrant.test(given) ? given : null;
    const counts = { djCount: row?.dj_count ?? null, criticCount: row?.critic_count ?? null };
    return {
      state: row === null ? openState(rows, [catalogMasterCube]) : 'present',
      value: { quadrant, ...counts },
      note: noteOf(quadrant, counts),
    };
  },
};

/** Why a bit is set although its published count shows nothing. */
function noteOf(
  quadrant: string | null,
  { djCount, criticCount }: Readonly<Record<'djCount' | 'criticCount', number | null>>,
): string | undefined {
  const uncounted = [
    ...(quadrant?.[1] === '1' && !djCount ? ['djCount'] : []),
    ...(quadrant?.[2] === '1' && !criticCount ? ['criticCount'] : []),
  ];
  if (uncounted.length === 0) return undefined;
  const names = uncounted.join(' and ');
  return `quadrant has the bit of ${names} without a count, because the producer sets bits by more signals than it counts.`;
}
