import type { Facet } from '../../../engine/facet.ts';
import type { MasterRows } from '../master-rows.ts';
import { artwork } from './artwork.ts';
import { binding } from './binding.ts';
import { cube } from './cube.ts';
import { header } from './header.ts';
import { propagation } from './propagation.ts';
import { tracklist } from './tracklist.ts';

/** All sections of the release-group dossier, in the order they are served. */
export const facets: readonly Facet<MasterRows>[] = [header, binding, cube, tracklist, propagation, artwork];
