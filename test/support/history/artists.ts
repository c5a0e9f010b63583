import fc from 'fast-check';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../../projections/contracts/catalog/artist-behavior.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistCoEvent } from '../../../projections/contracts/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../../../projections/contracts/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { artistWebPresence } from '../../../projections/contracts/seen/artist-web-presence.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import { catalogId, cluster, day, type HistoryRows, page, small, word } from './values.ts';

/** What feeds artists. */
export const artistHistory: readonly HistoryRows[] = [
  [
    artistMomentum,
    fc.record({
      cluster_id: cluster,
      emergence_tier: fc.constantFrom('breakout', 'rising', 'climbing', 'steady'),
      momentum_tier: fc.constantFrom('breakout', 'dormant'),
      emergence_score: small,
      momentum_score: small,
      establishment_delta: small,
      events_recent: small,
      is_fresh_breakout: fc.boolean(),
      is_unsigned: fc.boolean(),
      as_of: day,
    }),
  ],
  [
    artistEmergenceNarrativePublic,
    fc.record({
      cluster_id: cluster,
      transition_at: day,
      tier: fc.constantFrom('rising', 'climbing'),
      label: word,
    }),
  ],
  [
    artistPressMentions,
    fc.record({
      cluster_id: cluster,
      mention_id: fc.constantFrom('m1', 'm2', 'm3', 'm4'),
      outlet: word,
      title: word,
      url: fc.constantFrom('https://a.example/1', 'https://a.example/2'),
      kind: fc.constantFrom('press', 'review', 'interview', 'feature', 'mention'),
      published_at: day.map((at) => `${at}T12:00:00Z`),
      source_repo: fc.constantFrom(null, 'repo'),
    }),
  ],
  [
    artistIdentityBridge,
    fc.record({
      cluster_id: cluster,
      catalog_artist_id: fc.constantFrom(null, 11, 12),
      catalog_artist_id_count: fc.constantFrom(1, 1, 2),
      mbid: fc.constantFrom(null, '8475297d-fb78-4630-8d74-9b87b6bb7cc8'),
      is_exact: fc.boolean(),
      bind_method: fc.constant('id'),
      confidence: fc.constantFrom(0.5, 0.9),
    }),
  ],
  [
    catalogArtist,
    fc.record({
      catalog_artist_id: catalogId,
      name: word,
      slug: fc.constantFrom('aphex', 'under'),
      realname: fc.constant(null),
      profile: fc.constantFrom(null, 'x'),
      urls: fc.array(page, { maxLength: 2 }),
      aliases: fc.array(word, { maxLength: 2 }),
    }),
  ],
  [
    catalogArtistBehavior,
    fc.record({
      catalog_artist_id: catalogId,
      owner_reach: fc.constantFrom(null, 0, 4, 5, 70_000),
      wantlist_demand: fc.constantFrom(null, 3, 9),
      collector_coownership: fc.constant(null),
      community_footprint: fc.constant(null),
      work_count: fc.constant(null),
      master_count_with_genre: fc.constant(null),
      primary_genre: fc.constantFrom(null, 'Jazz', 'Rock'),
      primary_styles: fc.subarray(['Bop', 'Swing', 'Techno']),
    }),
  ],
  [
    catalogMaster,
    fc.record({
      master_id: fc.constantFrom(101, 102),
      title: word,
      artist_display: word,
      catalog_artist_ids: fc.uniqueArray(catalogId, { maxLength: 2 }),
      artist_cluster_id: fc.option(cluster),
      year: fc.constantFrom(null, 1999, 2001),
      genres: fc.constant(['Electronic']),
      styles: fc.constant([]),
      formats: fc.constant([]),
      country: fc.constant(null),
      labels: fc.constant([]),
      release_count: fc.constant(null),
      rg_mbid: fc.constant(null),
      tracklist: fc.constant(null),
    }),
  ],
  [
    performingEntity,
    fc.record({
      cluster_id: cluster,
      name: word,
      slug: fc.constantFrom('aphex', 'thethe'),
      entity_kind: fc.constant('person'),
      distinct_events: small,
      distinct_venues: small,
      first_event_at: fc.constant(null),
      last_event_at: fc.option(day),
      country: fc.constant('GB'),
    }),
  ],
  [
    clusterAliasV1,
    fc.record({
      cluster_id: cluster,
      alias: word,
      source: word,
      first_seen_at: fc.option(day),
    }),
  ],
  [
    clusterAuthorityIdsV1,
    fc.record({
      cluster_id: cluster,
      scheme: fc.constantFrom('storefront', 'website', 'mbid', 'catalog'),
      value: fc.constantFrom('mono', '11', '8475297D-fb78-4630-8d74-9b87b6bb7cc8'),
      url: fc.option(page),
      confidence: fc.constantFrom(0.5, 0.9),
      verified: fc.boolean(),
    }),
  ],
  [
    artistWebPresence,
    fc.record({
      cluster_id: cluster,
      storefront_url: fc.option(page),
      audioshare_url: fc.constant(null),
      photoshare_url: fc.constant(null),
      website_url: fc.option(page),
      streaming_url: fc.constant(null),
      videoshare_url: fc.constant(null),
      listing_status: fc.constant(null),
      country: fc.constant(null),
      first_event_at: fc.constant(null),
      catalog_artist_id_claimed: fc.constant(null),
      follower_count: fc.option(small),
    }),
  ],
  [
    artistCoEvent,
    fc.record({
      cluster_id: cluster,
      other_cluster_id: fc.option(cluster),
      other_catalog_artist_id: fc.constant(null),
      other_mbid: fc.constant(null),
      other_name: word,
      other_slug: fc.constant('other'),
      co_event_count: small,
      co_venue_count: small,
      last_co_at: fc.option(day),
    }),
  ],
  [
    storefrontItem,
    fc.record({
      item_id: fc.constantFrom('i1', 'i2'),
      cluster_id: cluster,
      artist_name: word,
      title: word,
      album_url: fc.constant('https://shop.example/a'),
      release_date: fc.option(day.map((at) => `${at}T00:00:00Z`)),
      label: fc.constant(null),
      tags: fc.constant(['house']),
      artwork_url: fc.constantFrom(null, 'https://shop.example/a.jpg'),
      price_type: fc.constantFrom(null, 1, 2),
      about: fc.constant(null),
      credits: fc.constant(null),
      upc: fc.constant(null),
      formats: fc.constant(null),
      limited_edition: fc.constant(null),
      smallest_edition_size: fc.constant(null),
      units_remaining: fc.constant(null),
      low_stock: fc.constant(null),
      scarcity_score: fc.constant(null),
      distinct_wishers: fc.constant(null),
      wishlist_demand: fc.constant(null),
    }),
  ],
];
