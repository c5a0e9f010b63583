import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../../projections/contracts/spine/spine-artist-name-published-view.ts';
import { type Artist, artistOf } from './artist.ts';
import { catalogRows } from './catalog.ts';
import { facts } from './facts.ts';
import * as lists from './lists.ts';
import { decimal, type Random, randomDay, uuidText } from './random.ts';
import { many, rowOf, type SourceRow } from './rows.ts';

/**
 * All rows that the producers hold of one synthetic artist, in both lanes. The same seed and number give the same
 * rows, whatever else is generated.
 */
export function generateArtist(seed: number, index: number): SourceRow[] {
  const { artist, random } = artistOf(seed, index);
  return [...whoItIs(artist, random), ...clusterRows(artist, random), ...catalogRows(artist, random)];
}

function whoItIs({ clusterId, catalogId, name, slug, fame }: Artist, random: Random): SourceRow[] {
  return [
    rowOf(artistIdentityBridge, {
      cluster_id: clusterId,
      catalog_artist_id: catalogId,
      catalog_artist_id_count: 1,
      mbid: random.chance(0.6) ? uuidText(random) : null,
      is_exact: random.chance(0.7),
      bind_method: 'name-and-release',
      confidence: decimal(random, 0, 1),
    }),
    rowOf(performingEntity, {
      cluster_id: clusterId,
      name,
      slug,
      entity_kind: random.pick(['solo', 'duo', 'band']),
      distinct_events: 1 + Math.round(fame * 400),
      distinct_venues: 1 + Math.round(fame * 150),
      first_event_at: randomDay(random, 12),
      last_event_at: randomDay(random, 1),
      country: random.pick(['DE', 'GB', 'US', 'NL', 'FR', 'JP']),
    }),
    rowOf(spineArtistNamePublishedView, {
      cluster_id: clusterId,
      published_name: name,
      slug,
      display: name,
    }),
  ];
}

function clusterRows(artist: Artist, random: Random): SourceRow[] {
  const upTo = (most: number) => Math.round(artist.fame * most);
  const list = (count: number, make: typeof lists.coEvent) =>
    many(count, (number) => make(artist, number, random));
  // The well known have a row nearly everywhere.
  const present = facts.filter(([, share]) => random.chance(share + (1 - share) * artist.fame));
  return [
    ...present.map(([make]) => make(artist, random)),
    ...list(upTo(12), lists.pressMention),
    ...list(upTo(28), lists.coEvent),
    ...list(upTo(8), lists.work),
    ...list(upTo(5), lists.webLink),
    ...list(random.whole(0, lists.MOST_APPEARANCES), lists.appearance),
    ...list(random.whole(0, 2), lists.alias),
    ...list(1 + upTo(4), lists.authorityId),
    ...list(upTo(5), lists.storefrontRelease),
  ];
}
