import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistWebPresence } from '../../../projections/contracts/seen/artist-web-presence.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { type Artist, artistOf } from '../data/artist.ts';
import { decimal, type Random, randomDay } from '../data/random.ts';
import { rowOf, type SourceRow } from '../data/rows.ts';
import { title, uniqueName } from '../data/words.ts';
import {
  type Catalogue,
  isrcOf,
  mbidOf,
  recordingIdOf,
  storefrontOf,
  streamingIdOf,
  titleOf,
  websiteOf,
} from './locators.ts';

/** The rows of an artist's identity and recordings. The same seed and number give the same rows. */
export function generateIdentity(catalogue: Catalogue, seed: number, index: number): SourceRow[] {
  const { artist, random } = artistOf(seed, index);
  return [
    ...namingRows(artist, index, random),
    ...pageRows(artist, index, random),
    ...recordingRows(artist, catalogue, { index, random }),
  ];
}

function namingRows(
  { catalogId, clusterId, name, slug, fame }: Artist,
  index: number,
  random: Random,
): SourceRow[] {
  return [
    rowOf(catalogArtist, {
      catalog_artist_id: catalogId,
      name,
      slug,
      realname: null,
      profile: null,
      urls: [websiteOf(index)],
      aliases: [],
    }),
    rowOf(artistIdentityBridge, {
      cluster_id: clusterId,
      catalog_artist_id: catalogId,
      catalog_artist_id_count: 1,
      mbid: mbidOf(index),
      is_exact: true,
      bind_method: 'id',
      confidence: decimal(random, 0, 1),
    }),
    rowOf(performingEntity, {
      cluster_id: clusterId,
      name,
      slug,
      entity_kind: 'solo',
      distinct_events: 1 + Math.round(fame * 400),
      distinct_venues: 1 + Math.round(fame * 150),
      first_event_at: randomDay(random, 12),
      last_event_at: randomDay(random, 1),
      country: null,
    }),
    rowOf(clusterAliasV1, {
      cluster_id: clusterId,
      alias: `${name} ${title(random, 1, 1)}`,
      source: 'booking-graph',
      first_seen_at: null,
    }),
  ];
}

function pageRows({ clusterId }: Artist, index: number, random: Random): SourceRow[] {
  const authorityId = (scheme: 'storefront' | 'streaming', value: string, url: string | null) =>
    rowOf(clusterAuthorityIdsV1, {
      cluster_id: clusterId,
      scheme,
      value,
      url,
      confidence: decimal(random, 0, 1),
      verified: true,
    });
  return [
    authorityId('storefront', storefrontOf(index), storefrontOf(index)),
    authorityId('streaming', streamingIdOf(index), null),
    rowOf(artistWebPresence, {
      cluster_id: clusterId,
      storefront_url: storefrontOf(index),
      audioshare_url: null,
      photoshare_url: null,
      website_url: websiteOf(index),
      streaming_url: null,
      videoshare_url: null,
      listing_status: 'listed',
      country: null,
      first_event_at: null,
      catalog_artist_id_claimed: null,
      follower_count: null,
    }),
  ];
}

function recordingRows(
  { clusterId }: Artist,
  { artists, recordings }: Catalogue,
  { index, random }: { readonly index: number; readonly random: Random },
): SourceRow[] {
  const rows: SourceRow[] = [];
  for (let recording = index; recording < recordings; recording += artists) {
    rows.push(
      rowOf(mbRecording, {
        recording_mbid: mbidOf(recording),
        cluster_id: recordingIdOf(recording),
        artist_cluster_id: clusterId,
        artist_credit: uniqueName(index),
        title: titleOf(recording),
        length_ms: random.whole(60_000, 600_000),
        isrcs: [isrcOf(recording)],
        release_count: random.whole(1, 20),
        first_release_date: null,
      }),
    );
  }
  return rows;
}
