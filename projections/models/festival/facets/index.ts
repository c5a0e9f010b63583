import type { Facet } from '../../../engine/facet.ts';
import type { FestivalRows } from '../festival-rows.ts';
import { editions } from './editions.ts';
import { identity } from './identity.ts';
import { lineupSignals } from './lineup-signals.ts';

/** All facets of the festival dossier, in the order they are served. */
export const facets: readonly Facet<FestivalRows>[] = [identity, editions, lineupSignals];
