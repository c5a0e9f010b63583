import type { Facet } from '../../../engine/facet.ts';
import type { LabelRows } from '../lanes.ts';
import { behavioral } from './behavioral.ts';
import { binds } from './binds.ts';
import { djMomentum } from './dj-momentum.ts';
import { identity } from './identity.ts';
import { presence } from './presence.ts';
import { travels } from './travels.ts';

/** All facets of the label dossier, in the order they are served. */
export const facets: readonly Facet<LabelRows>[] = [
  identity,
  binds,
  presence,
  behavioral,
  travels,
  djMomentum,
];
