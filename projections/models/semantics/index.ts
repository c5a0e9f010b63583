import { arrivalSemantics } from './arrival.ts';
import { bookingSemantics } from './booking.ts';
import { collectorsAndStorefrontSemantics } from './collectors-and-storefront.ts';
import { identitySemantics } from './identity.ts';
import { pressAndListeningSemantics } from './press-and-listening.ts';
import { radioAndDjSetSemantics } from './radio-and-dj-sets.ts';
import type { DescribedSurface, Semantics } from './semantics.ts';

/** Every described surface. */
export const describedSurfaces: readonly DescribedSurface[] = [
  ...bookingSemantics,
  ...radioAndDjSetSemantics,
  ...pressAndListeningSemantics,
  ...collectorsAndStorefrontSemantics,
  ...identitySemantics,
  ...arrivalSemantics,
];

const byTable: ReadonlyMap<string, Semantics> = new Map(
  describedSurfaces.map(({ source, semantics }) => [source.table, semantics]),
);

/** The meaning of a surface; null if it is not described. */
export const semanticsOf = (table: string): Semantics | null => byTable.get(table) ?? null;
