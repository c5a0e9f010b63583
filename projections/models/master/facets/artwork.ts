import { Type } from '@sinclair/typebox';
import { catalogMaster } from '../../../contracts/catalog/master.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { ArtworkItem, archivedCover } from '../../shared/artwork.ts';
import type { MasterRows } from '../master-rows.ts';

const description = 'Links to cover images elsewhere; a link may be dead.';

export const artwork: Facet<MasterRows, 'artwork'> = {
  name: 'artwork',
  sources: [catalogMaster],
  description,
  schema: Type.Array(ArtworkItem, { description }),
  build(rows) {
    const { rg_mbid: mbid } = rows.master;
    return mbid === null
      ? { state: openState(rows, [catalogMaster]), value: [] }
      : { state: 'present', value: [archivedCover(mbid)] };
  },
};
