import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { editorialWebLink } from '../../../projections/contracts/editorial/web-link.ts';
import { mbArtistWork } from '../../../projections/contracts/mb/artist-work.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistCoEvent } from '../../../projections/contracts/seen/artist-co-event.ts';
import { artistDatedAppearance } from '../../../projections/contracts/seen/artist-dated-appearance.ts';
import { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import { type Artist, artistSlug, catalogIdOf, clusterIdOf } from './artist.ts';
import { decimal, hexText, type Random, randomDay, randomInstant, uuidText } from './random.ts';
import { rowOf, type SourceRow } from './rows.ts';
import { sentence, title, toSlug, uniqueName } from './words.ts';

/** Artists that others are said to have met; any of them may be on file or not. */
const OTHERS = 100_000;
const OUTLETS = ['The Wire Room', 'Nightfall', 'Vinyl Post', 'Echo Weekly', 'Groove Ledger', 'Low End'];
const APPEARANCES = ['booking', 'radio', 'press', 'djset', 'storefront'];

/** The row makers of sources with several rows an artist; `number` distinguishes an artist's rows. */
export function pressMention(artist: Artist, number: number, random: Random): SourceRow {
  const outlet = random.pick(OUTLETS);
  const heading = `${artist.name}: ${sentence(random, 4, 9)}`;
  return rowOf(artistPressMentions, {
    cluster_id: artist.clusterId,
    mention_id: `${artist.clusterId.slice(0, 12)}-${number}`,
    outlet,
    title: heading,
    url: `https://${toSlug(outlet)}.example/${randomDay(random, 8).replaceAll('-', '/')}/${toSlug(heading)}`,
    kind: random.pick(['press', 'review', 'interview', 'feature', 'mention'] as const),
    published_at: randomInstant(random, 8),
    source_repo: random.chance(0.5) ? `${toSlug(outlet)}-archive` : null,
  });
}

export function coEvent(artist: Artist, number: number, random: Random): SourceRow {
  const other = random.whole(0, OTHERS - 1);
  const isKnown = random.chance(0.7);
  const events = random.whole(1, 12);
  return rowOf(artistCoEvent, {
    cluster_id: artist.clusterId,
    other_cluster_id: isKnown ? clusterIdOf(other) : null,
    other_catalog_artist_id: isKnown ? catalogIdOf(other) : null,
    other_mbid: isKnown && random.chance(0.5) ? uuidText(random) : null,
    other_name: `${uniqueName(other)} ${number + 1}`,
    other_slug: artistSlug(other),
    co_event_count: events,
    co_venue_count: random.whole(1, events),
    last_co_at: randomDay(random, 6),
  });
}

export const work = (artist: Artist, _number: number, random: Random): SourceRow =>
  rowOf(mbArtistWork, {
    cluster_id: artist.clusterId,
    work_mbid: uuidText(random),
    work_name: title(random, 1, 5),
    owner_reach: random.whole(0, 90_000),
    version_collectors: random.whole(0, 9_000),
    version_depth: random.whole(1, 40),
    n_recordings_global: random.whole(1, 60),
  });

export const webLink = (artist: Artist, number: number, random: Random): SourceRow =>
  rowOf(editorialWebLink, {
    link_id: `${artist.clusterId.slice(0, 12)}-${number}`,
    cluster_id: artist.clusterId,
    source: random.pick(['encyclopedia', 'label', 'magazine', 'festival']),
    source_subtype: random.chance(0.5) ? 'biography' : null,
    url: `https://${toSlug(title(random, 1, 2))}.example/artists/${artist.slug}`,
    title: title(random, 2, 5),
    description: random.chance(0.6) ? sentence(random, 8, 24) : null,
    confidence: decimal(random, 0, 1),
  });

export const appearance = (artist: Artist, number: number, random: Random): SourceRow =>
  rowOf(artistDatedAppearance, {
    cluster_id: artist.clusterId,
    source_kind: APPEARANCES[number] ?? `other-${number}`,
    first_appearance_date: randomDay(random, 12),
    latest_appearance_date: randomDay(random, 1),
    appearance_count: random.whole(1, 400),
  });

export const MOST_APPEARANCES = APPEARANCES.length;

export const alias = (artist: Artist, number: number, random: Random): SourceRow =>
  rowOf(clusterAliasV1, {
    cluster_id: artist.clusterId,
    alias: `${artist.name} ${title(random, 1, 1)} ${number + 1}`,
    source: 'booking-graph',
    first_seen_at: randomDay(random, 9),
  });

export const authorityId = (artist: Artist, number: number, random: Random): SourceRow => {
  const scheme =
    (['mbid', 'storefront', 'audioshare', 'streaming', 'website'] as const)[number % 5] ?? 'mbid';
  const value = scheme === 'mbid' ? uuidText(random) : `${artist.slug}-${hexText(random, 4)}`;
  return rowOf(clusterAuthorityIdsV1, {
    cluster_id: artist.clusterId,
    scheme,
    value,
    url: scheme === 'mbid' ? null : `https://${scheme}.example/${value}`,
    confidence: decimal(random, 0, 1),
    verified: random.chance(0.6),
  });
};

export const storefrontRelease = (artist: Artist, number: number, random: Random): SourceRow => {
  const name = title(random, 1, 4);
  return rowOf(storefrontItem, {
    item_id: `${artist.catalogId}-${number}`,
    cluster_id: artist.clusterId,
    artist_name: artist.name,
    title: name,
    album_url: `https://${artist.slug}.storefront.example/album/${toSlug(name)}`,
    release_date: randomInstant(random, 9),
    label: random.chance(0.4) ? title(random, 1, 2) : null,
    tags: [toSlug(title(random, 1, 1)), toSlug(title(random, 1, 2))],
    artwork_url: random.chance(0.9) ? `https://img.storefront.example/a${hexText(random, 10)}_16.jpg` : null,
    price_type: random.chance(0.8) ? 2 : 1,
    about: random.chance(0.5) ? sentence(random, 10, 60) : null,
    credits: random.chance(0.5) ? sentence(random, 6, 30) : null,
    upc: null,
    formats: ['digital'],
    limited_edition: null,
    smallest_edition_size: null,
    units_remaining: null,
    low_stock: null,
    scarcity_score: null,
    distinct_wishers: random.whole(0, 500),
    wishlist_demand: random.whole(0, 900),
  });
};
