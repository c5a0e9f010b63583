import fc from 'fast-check';
import { catalogLabel } from '../../../projections/contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../../projections/contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../../projections/contracts/catalog/label-co-ownership.ts';
import { labelDjsetMomentum } from '../../../projections/contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../../projections/contracts/seen/label-identity-bridge.ts';
import { cluster, day, type HistoryRows, small, word } from './values.ts';

const labelId = fc.constantFrom(21, 22);

/** What feeds labels. */
export const labelHistory: readonly HistoryRows[] = [
  [
    labelIdentityBridge,
    fc.record({
      cluster_id: cluster,
      name: word,
      slug: fc.constantFrom('warp', 'ninja'),
      catalog_label_id: fc.option(labelId),
      catalog_label_id_count: fc.constantFrom(1, 1, 2),
      label_mbid: fc.constant(null),
      storefront_url: fc.constantFrom(null, 'https://warp.example'),
      has_catalog: fc.boolean(),
      has_storefront: fc.boolean(),
      has_seen_momentum: fc.boolean(),
      has_editorial: fc.boolean(),
    }),
  ],
  [
    catalogLabel,
    fc.record({
      catalog_label_id: labelId,
      name: word,
      slug: fc.constantFrom('warp', 'WARP', 'ninja'),
      parent_label: fc.option(word),
      profile: fc.constantFrom(null, 'x'),
      urls: fc.constant([]),
    }),
  ],
  [
    catalogLabelBehavior,
    fc.record({
      catalog_label_id: labelId,
      owner_reach: fc.option(small),
      release_count: fc.option(small),
      artist_count: fc.constant(null),
      first_year: fc.constantFrom(null, 1989),
      latest_year: fc.constant(null),
      primary_genre: fc.option(word),
      primary_styles: fc.array(word, { maxLength: 2 }),
    }),
  ],
  [
    catalogLabelCoOwnership,
    fc.record({
      cluster_id: cluster,
      other_cluster_id: cluster,
      other_label_name: fc.option(word),
      npmi: fc.constantFrom(0.25, 0.5),
      support: fc.constantFrom(4, 5, 6),
    }),
  ],
  [
    labelDjsetMomentum,
    fc.record({
      cluster_id: cluster,
      play_count: small,
      distinct_djs: small,
      distinct_artists: small,
      distinct_tracklists: small,
      first_played_at: fc.option(day),
      last_played_at: fc.option(day),
      plays_last_365d: small,
    }),
  ],
];
