import { arrivalSemantics } from './arrival.ts';
import { bookingSemantics } from './booking.ts';
import { collectorsAndStorefrontSemantics } from './collectors-and-storefront.ts';
import { identitySemantics } from './identity.ts';
import { pressAndListeningSemantics } from './press-and-listening.ts';
import { radioAndDjSetSemantics } from './radio-and-dj-sets.ts';
import type { DescribedSurface, Semantics } from './semantics.ts';

/** Every surface whose meaning has been written down. */
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

/** What is said of a surface; null where nobody has written it down. */
export const semanticsOf = (table: string): Semantics | null => byTable.get(table) ?? null;
