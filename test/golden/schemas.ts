import { type TSchema, Type } from '@sinclair/typebox';
import type { Facet, FacetRows } from '../../projections/engine/facet.ts';
import { facets as artistFacets } from '../../projections/models/artist/facets/index.ts';
import { AuraRow } from '../../projections/models/aura/row.ts';
import { BreakoutItem } from '../../projections/models/breakouts/item.ts';
import { BrowseItem } from '../../projections/models/browse/item.ts';
import { facets as festivalFacets } from '../../projections/models/festival/facets/index.ts';
import { Identity } from '../../projections/models/identity/identity.ts';
import { facets as labelFacets } from '../../projections/models/label/facets/index.ts';
import { facets as masterFacets } from '../../projections/models/master/facets/index.ts';
import { Teaser } from '../../projections/models/preview/teaser.ts';
import { Release } from '../../projections/models/storefront-release/release.ts';
import { EarlySpinner, LeaderboardRow, OneToWatch } from '../../projections/models/tastemakers/rows.ts';

const ofFacets = (facets: readonly Pick<Facet<FacetRows & never>, 'name' | 'schema'>[]): TSchema =>
  Type.Object(Object.fromEntries(facets.map(({ name, schema }) => [name, schema])));

/** What the documents of a read model are declared to be, where that is: fields that may be left out among them. */
export const schemas: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  ['artist', ofFacets(artistFacets)],
  ['aura', AuraRow],
  ['breakouts', BreakoutItem],
  ['browse', BrowseItem],
  ['festival', ofFacets(festivalFacets)],
  ['identity', Identity],
  [
    'label',
    Type.Intersect([
      ofFacets(labelFacets),
      Type.Object({
        over_merge: Type.Object({ catalog_label_id_count: Type.Integer(), folded: Type.Literal(true) }),
      }),
    ]),
  ],
  ['master', Type.Object({ master: ofFacets(masterFacets) })],
  ['preview', Teaser],
  ['storefront-release', Type.Object({ release: Release })],
  ['tastemakers', Type.Intersect([LeaderboardRow, OneToWatch, EarlySpinner])],
]);
