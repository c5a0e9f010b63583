import { describe, expect, it } from 'vitest';
import { columnShape } from './columns.ts';
import { capOf, keysetOf, keyspaceOf, servedName, surfaceByName, surfaces } from './surfaces.ts';

const NAMES = [
  'public.spine_artist_temporal_profile',
  'seen.radio_play_v1',
  'seen.dj_champion',
  'seen.radio_co_play',
  'seen.song_station_journey',
  'mirror.wantlist_demand_by_cluster_v1',
  'seen.master_propagation_timeline_cluster',
  'seen.dj_tastemaker_score',
  'seen.performing_entity',
  'seen.artist_dossier',
  'seen.artist_momentum',
  'seen.artist_network_position',
  'seen.artist_tier_presence',
  'seen.artist_festival_co_appearance',
  'seen.artist_cross_tier_network',
  'seen.artist_brokerage',
  'seen.artist_emergence_narrative_public',
  'seen.artist_airplay_first_appearance',
  'seen.artist_djset_first_appearance',
  'seen.artist_emergence_lead_time',
  'seen.artist_dated_appearance',
  'seen.artist_primary_geography',
  'seen.artist_identity_bridge',
  'seen.live_demand',
  'seen.storefront_artist_gravity',
  'seen.storefront_artist_tastemaker_quality',
  'seen.artist_djset_scout_signal',
  'seen.label_djset_momentum',
  'seen.artist_signal_passport',
  'seen.artist_sc_rights_rollup_v1',
  'archive_api_v1.artist_mention_daily',
  'public.spine_artist_name_published_view',
  'archive_api_v1.artist_press_mentions',
  'seen.artist_signal_known_since',
  'mirror.cluster_authority_ids_v1',
  'sync.placement_claim_by_cluster_v1',
  'pressings.pressing_provenance_depth_by_cluster_v1',
  'mirror.listen_flow_by_cluster_v1',
  'mirror.cluster_alias_v1',
  'fleet.cluster_arrival_ledger_v1',
  'seen.radar_only_artists_v1',
  'sync.placement_arrival_by_cluster_v1',
  'fleet.cluster_arrival_wide_v1',
  'mirror.market_vs_flow_divergence_v1',
];

/** The sort columns (a minus marks descending), then the tie-breaker. */
const ORDERS = {
  'seen.radio_play_v1': '-played_at play_id',
  'seen.dj_champion': '-plays dj_cluster_id',
  'seen.radio_co_play': '-co_play_count other_cluster_id',
  'seen.song_station_journey': 'first_played_at station',
  'seen.master_propagation_timeline_cluster': 'first_seen_at master_id channel',
  'seen.artist_festival_co_appearance': '-co_festival_count other_cluster_id',
  'seen.artist_cross_tier_network': '-co_event_count other_cluster_id',
  'seen.artist_emergence_narrative_public': 'transition_at',
  'seen.artist_dated_appearance': 'source_kind',
  'seen.artist_signal_passport': 'signal',
  'archive_api_v1.artist_mention_daily': '-day',
  'archive_api_v1.artist_press_mentions': '-published_at mention_id',
  'seen.artist_signal_known_since': 'known_since signal',
  'mirror.cluster_authority_ids_v1': 'scheme value',
  'sync.placement_claim_by_cluster_v1': '-claimed_at claim_id',
  'mirror.listen_flow_by_cluster_v1': '-week',
  'mirror.cluster_alias_v1': 'alias',
  'fleet.cluster_arrival_ledger_v1': 'first_arrived_at dimension',
};

describe('surfaces', () => {
  it('are all registered, each under its name', () => {
    expect(surfaces.map(({ table }) => table)).toEqual(NAMES);
    expect(NAMES.map((name) => surfaceByName.get(name)?.table)).toEqual(NAMES);
  });

  it('are keyed by artist, except one by recording and one by label', () => {
    const others = surfaces.filter((source) => keyspaceOf(source) !== 'pe-norm-v1-artist');
    expect(others.map((source) => [source.table, keyspaceOf(source)])).toEqual([
      ['seen.song_station_journey', 'pe-norm-v1-recording'],
      ['seen.label_djset_momentum', 'pe-norm-v1-label'],
    ]);
    for (const { subject, columns } of surfaces) {
      expect(subject.column).toBe('cluster_id');
      const { cluster_id: id } = columns;
      expect(id && columnShape(id).encoding).toBe('hex');
    }
  });

  it('have pages of 50 to 200 rows in a total order, or at most one row', () => {
    const orders = surfaces.flatMap((source) => {
      const keyset = keysetOf(source);
      expect(capOf(source)).toEqual(keyset === null ? { default: 1, max: 1 } : { default: 50, max: 200 });
      if (keyset === null) return [];
      expect(keyset.seek).toEqual(keyset.order.map(({ column }) => column));
      const order = keyset.order.map(({ column, direction }) => (direction === 'desc' ? '-' : '') + column);
      return [[source.table, order.join(' ')]];
    });
    expect(Object.fromEntries(orders)).toEqual(ORDERS);
    for (const { surface, key } of surfaces)
      expect(surface.grain === 'cluster-row').toBe(key.join() === 'cluster_id');
  });

  it('serve columns under their own names, except the cluster of the temporal profile', () => {
    const renamed = surfaces.flatMap((source) =>
      Object.keys(source.columns)
        .filter((column) => servedName(source, column) !== column)
        .map((column) => [source.table, column, servedName(source, column)]),
    );
    expect(renamed).toEqual([['public.spine_artist_temporal_profile', 'cluster_id', 'cluster_id_hex']]);
  });

  it('floor every column that counts wishes', () => {
    const wishes = surfaces.flatMap(({ columns }) =>
      Object.keys(columns).filter((column) => /wantlist|wishlist|wishers/.test(column)),
    );
    expect(wishes).toEqual(surfaces.flatMap(({ surface }) => [...(surface.wishes ?? [])]));
    expect(wishes).toHaveLength(2);
  });

  it('withhold every nullable column that reveals wishes', () => {
    const names = surfaces.flatMap(({ columns }) =>
      Object.keys(columns).filter((name) => /wished/.test(name)),
    );
    expect(names).toEqual(['earliest_wished_at', 'wished_coverage']);
    expect(names).toEqual(surfaces.flatMap(({ surface }) => [...(surface.revealsWishes ?? [])]));
    for (const { columns, surface } of surfaces)
      for (const name of surface.revealsWishes ?? [])
        expect(columnShape(columns[name] as never).isNullable, name).toBe(true);
  });
});
