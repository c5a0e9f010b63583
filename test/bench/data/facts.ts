import { editorialArtistAttention } from '../../../projections/contracts/editorial/artist-attention.ts';
import { ledgerRightsByCluster } from '../../../projections/contracts/ledger/rights-by-cluster.ts';
import { wantlistDemandByClusterV1 } from '../../../projections/contracts/mirror/wantlist-demand-by-cluster-v1.ts';
import { artistAirplayFirstAppearance } from '../../../projections/contracts/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../../projections/contracts/seen/artist-brokerage.ts';
import { artistEmergenceLeadTime } from '../../../projections/contracts/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../../projections/contracts/seen/artist-network-position.ts';
import { artistScRightsRollupV1 } from '../../../projections/contracts/seen/artist-sc-rights-rollup-v1.ts';
import { artistTierPresence } from '../../../projections/contracts/seen/artist-tier-presence.ts';
import { artistWebPresence } from '../../../projections/contracts/seen/artist-web-presence.ts';
import { liveDemand as liveDemandSource } from '../../../projections/contracts/seen/live-demand.ts';
import { storefrontArtistGravity } from '../../../projections/contracts/seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from '../../../projections/contracts/seen/storefront-artist-tastemaker-quality.ts';
import { storefrontArtistEmergence } from '../../../projections/contracts/storefront/artist-emergence.ts';
import type { Artist } from './artist.ts';
import { decimal, type Random, randomDay } from './random.ts';
import { rowOf, type SourceRow } from './rows.ts';

type Make = (artist: Artist, random: Random) => SourceRow;

export const momentum: Make = ({ clusterId }, random) =>
  rowOf(artistMomentum, {
    cluster_id: clusterId,
    emergence_tier: random.pick(['breakout', 'rising', 'climbing', 'steady'] as const),
    momentum_tier: random.pick(['breakout', 'rising', 'steady', 'cooling', 'dormant'] as const),
    emergence_score: decimal(random, 0, 100),
    momentum_score: decimal(random, 0, 100),
    establishment_delta: decimal(random, -5, 5),
    events_recent: random.whole(0, 60),
    is_fresh_breakout: random.chance(0.1),
    is_unsigned: random.chance(0.5),
    as_of: randomDay(random, 1),
  });

const liveDemand: Make = ({ clusterId }, random) =>
  rowOf(liveDemandSource, {
    cluster_id: clusterId,
    demand_tier: random.pick(['low', 'steady', 'strong', 'sell-out']),
    demand_momentum_score: decimal(random, 0, 10),
    avg_fill_fraction: decimal(random, 0, 1),
    max_sold_out_lead_days: random.chance(0.4) ? random.whole(1, 120) : null,
    events_tracked: random.whole(1, 300),
    events_sold_out: random.whole(0, 40),
    distinct_providers: random.whole(1, 8),
    distinct_promoters: random.whole(1, 90),
  });

const tierPresence: Make = ({ clusterId }, random) =>
  rowOf(artistTierPresence, {
    cluster_id: clusterId,
    spans_tiers: random.chance(0.5),
    plays_clubs: random.chance(0.8),
    plays_festivals: random.chance(0.5),
    club_events: random.whole(0, 200),
    festival_editions: random.whole(0, 40),
    first_club_at: randomDay(random, 12),
    last_club_at: randomDay(random, 1),
    first_festival_at: random.chance(0.5) ? randomDay(random, 9) : null,
    last_festival_at: random.chance(0.5) ? randomDay(random, 2) : null,
  });

const networkPosition: Make = ({ clusterId }, random) =>
  rowOf(artistNetworkPosition, {
    cluster_id: clusterId,
    degree: random.whole(1, 900),
    weighted_degree: decimal(random, 1, 3_000),
    recent_degree: random.whole(0, 200),
    resolved_neighbour_ratio: decimal(random, 0, 1),
    establishment_delta: decimal(random, -3, 3),
    emerging_neighbours: random.whole(0, 60),
  });

const brokerage: Make = ({ clusterId }, random) =>
  rowOf(artistBrokerage, {
    cluster_id: clusterId,
    degree: random.whole(1, 900),
    effective_size: decimal(random, 1, 700),
    brokerage_score: decimal(random, 0, 1),
    brokerage_tier: random.pick(['local', 'bridge', 'hub']),
    ego_density: decimal(random, 0, 1),
  });

const leadTime: Make = ({ clusterId }, random) =>
  rowOf(artistEmergenceLeadTime, {
    cluster_id: clusterId,
    press_to_airplay_days: random.chance(0.7) ? random.whole(-400, 900) : null,
    underground_to_booking_days: random.chance(0.7) ? random.whole(-400, 900) : null,
  });

const airplay: Make = ({ clusterId }, random) =>
  rowOf(artistAirplayFirstAppearance, {
    cluster_id: clusterId,
    first_airplay_date: randomDay(random, 12),
    latest_airplay_date: randomDay(random, 1),
    airplay_count: random.whole(1, 5_000),
    distinct_stations: random.whole(1, 60),
    distinct_venues: random.whole(0, 20),
    distinct_djs: random.whole(1, 300),
  });

const tastemakerQuality: Make = ({ clusterId }, random) =>
  rowOf(storefrontArtistTastemakerQuality, {
    cluster_id: clusterId,
    supporter_cohort_size: random.whole(5, 4_000),
    aesq: decimal(random, 0, 100),
    aesq_median: decimal(random, 0, 100),
    aesq_rw: decimal(random, 0, 100),
    mean_first_buyer_earliness: decimal(random, 0, 1),
  });

const gravity: Make = ({ clusterId }, random) =>
  rowOf(storefrontArtistGravity, {
    cluster_id: clusterId,
    owner_reach: random.whole(0, 20_000),
    wishlist_demand: random.whole(0, 3_000),
    earliest_supported_at: randomDay(random, 10),
    earliest_wished_at: randomDay(random, 10),
    demand_coverage: decimal(random, 0, 1),
    wished_coverage: decimal(random, 0, 1),
    also_own_degree: random.whole(0, 800),
  });

const storefrontEmergence: Make = ({ clusterId }, random) =>
  rowOf(storefrontArtistEmergence, {
    cluster_id: clusterId,
    emergence_class: random.pick(['early', 'growing', 'established']),
    demand_lead: decimal(random, -2, 5),
    demand_ratio: decimal(random, 0, 4),
    owner_reach: random.whole(0, 20_000),
    wishlist_demand: random.whole(0, 3_000),
    distinct_releases: random.whole(1, 40),
    earliest_wished_at: randomDay(random, 10),
  });

const attention: Make = ({ clusterId }, random) =>
  rowOf(editorialArtistAttention, {
    cluster_id: clusterId,
    member_count: random.whole(1, 90),
    source_repo_count: random.whole(1, 6),
    first_observed_at: randomDay(random, 10),
    latest_observed_at: randomDay(random, 1),
  });

const webPresence: Make = ({ clusterId, slug, catalogId }, random) =>
  rowOf(artistWebPresence, {
    cluster_id: clusterId,
    storefront_url: `https://${slug}.storefront.example`,
    audioshare_url: random.chance(0.7) ? `https://audioshare.example/${slug}` : null,
    photoshare_url: random.chance(0.5) ? `https://photoshare.example/${slug}` : null,
    website_url: random.chance(0.4) ? `https://${slug}.example` : null,
    streaming_url: null,
    videoshare_url: null,
    listing_status: 'listed',
    country: random.pick(['DE', 'GB', 'US', 'NL', 'FR', 'JP', 'BR']),
    first_event_at: randomDay(random, 12),
    catalog_artist_id_claimed: random.chance(0.3) ? catalogId : null,
    follower_count: random.whole(0, 90_000),
  });

const wantlist: Make = ({ clusterId }, random) =>
  rowOf(wantlistDemandByClusterV1, {
    cluster_id: clusterId,
    owner_reach: random.whole(0, 60_000),
    wantlist_demand: random.whole(0, 20_000),
    distinct_masters: random.whole(1, 60),
    as_of: randomDay(random, 1),
  });

const ledgerRights: Make = ({ clusterId }, random) =>
  rowOf(ledgerRightsByCluster, {
    cluster_id: clusterId,
    registered_works: random.whole(1, 200),
    works_with_iswc: random.whole(0, 150),
    distinct_cowriters: random.whole(0, 60),
    cowriters_with_mbid: random.whole(0, 40),
  });

const audioshareRights: Make = ({ clusterId }, random) =>
  rowOf(artistScRightsRollupV1, {
    cluster_id: clusterId,
    tracks_with_isrc: random.whole(0, 200),
    tracks_bound_to_work: random.whole(0, 150),
    tracks_work_has_iswc: random.whole(0, 90),
  });

/** The row makers of sources with one row an artist, and how many artists of average fame have one. */
export const facts: readonly (readonly [make: Make, share: number])[] = [
  [momentum, 0.8],
  [liveDemand, 0.5],
  [tierPresence, 0.8],
  [networkPosition, 0.8],
  [brokerage, 0.6],
  [leadTime, 0.5],
  [airplay, 0.6],
  [tastemakerQuality, 0.4],
  [gravity, 0.5],
  [storefrontEmergence, 0.4],
  [attention, 0.5],
  [webPresence, 0.8],
  [wantlist, 0.7],
  [ledgerRights, 0.4],
  [audioshareRights, 0.5],
];
