import fc from 'fast-check';
import { catalogMasterCube } from '../../../projections/contracts/catalog/master-cube.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { masterPropagationTimelineCluster } from '../../../projections/contracts/seen/master-propagation-timeline-cluster.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { artistHistory } from './artists.ts';
import { cluster, day, type HistoryRows, small, word } from './values.ts';

const masterId = fc.constantFrom(101, 102);

const OF_ARTISTS: ReadonlySet<string> = new Set([
  'catalog.artist',
  'catalog.master',
  'seen.artist_identity_bridge',
  'storefront.item',
]);

/** What feeds release groups, storefront releases and recordings. */
export const releaseHistory: readonly HistoryRows[] = [
  [
    catalogMasterCube,
    fc.record({
      master_id: masterId,
      cube_quadrant: fc.constantFrom(null, '101', '010'),
      owner_count: fc.option(small),
      dj_count: fc.option(small),
      critic_count: fc.option(small),
    }),
  ],
  [
    masterPropagationTimelineCluster,
    fc.record({
      cluster_id: cluster,
      master_id: masterId,
      channel: fc.constantFrom('dj', 'radio'),
      master_title: word,
      first_seen_at: day,
      latest_seen_at: day,
      observations: small,
    }),
  ],
  [
    mbRecording,
    fc.record({
      recording_mbid: fc.constantFrom(
        '0f0e0d0c-0b0a-4908-8706-050403020101',
        '0f0e0d0c-0b0a-4908-8706-050403020102',
        '0f0e0d0c-0b0a-4908-8706-050403020103',
      ),
      cluster_id: cluster,
      artist_cluster_id: cluster,
      artist_credit: word,
      title: word,
      length_ms: fc.constant(null),
      isrcs: fc.array(fc.constantFrom('USRC17607839', 'us-rc1-76-07839', 'GBAYE0601498', 'none'), {
        maxLength: 2,
      }),
      release_count: small,
      first_release_date: fc.constant(null),
    }),
  ],
  [
    storefrontTrack,
    fc.record({
      item_id: fc.constantFrom('i1', 'i2'),
      track_no: fc.constantFrom(1, 2),
      cluster_id: cluster,
      artist_name: word,
      title: word,
      duration_ms: fc.option(fc.constantFrom(1_499, 1_500, 428_000)),
      track_url: fc.constant(null),
    }),
  ],
  ...artistHistory.filter(([{ table }]) => OF_ARTISTS.has(table)),
];
