import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../../projections/contracts/catalog/artist-behavior.ts';
import { catalogArtistTravelsWith } from '../../../projections/contracts/catalog/artist-travels-with.ts';
import { catalogMarketplaceWeekly } from '../../../projections/contracts/catalog/marketplace-weekly.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { mbArtistRightsRollup } from '../../../projections/contracts/mb/artist-rights-rollup.ts';
import { mbReleaseGroup } from '../../../projections/contracts/mb/release-group.ts';
import { type Artist, artistSlug, catalogIdOf } from './artist.ts';
import { decimal, type Random, randomDay, uuidText } from './random.ts';
import { many, rowOf, type SourceRow } from './rows.ts';
import { sentence, title, uniqueName } from './words.ts';

const GENRES = ['Electronic', 'Rock', 'Jazz', 'Hip Hop', 'Folk, World, & Country', 'Funk / Soul'];
const STYLES = [
  'House',
  'Techno',
  'Ambient',
  'Dub',
  'Downtempo',
  'Krautrock',
  'Acid',
  'Electro',
  'Leftfield',
];
const COUNTRIES = ['DE', 'GB', 'US', 'NL', 'FR', 'JP'];
const MOST_MASTERS = 1_000;
const OTHERS = 100_000;

const entry = (artist: Artist, random: Random): SourceRow =>
  rowOf(catalogArtist, {
    catalog_artist_id: artist.catalogId,
    name: artist.name,
    slug: artist.slug,
    realname: random.chance(0.5) ? title(random, 2, 3) : null,
    profile: random.chance(0.6) ? sentence(random, 15, 70) : null,
    urls: many(random.whole(0, 4), () => `https://${artist.slug}.example/${random.whole(1, 999)}`),
    aliases: many(random.whole(0, 3), (index) => `${title(random, 1, 2)} ${artist.catalogId}-${index}`),
  });

const behavior = (artist: Artist, random: Random): SourceRow =>
  rowOf(catalogArtistBehavior, {
    catalog_artist_id: artist.catalogId,
    owner_reach: random.whole(0, 90_000),
    wantlist_demand: random.whole(0, 40_000),
    collector_coownership: decimal(random, 0, 1),
    community_footprint: decimal(random, 0, 10),
    work_count: random.whole(1, 200),
    master_count_with_genre: random.whole(1, 60),
    primary_genre: random.pick(GENRES),
    primary_styles: [random.pick(STYLES), random.pick(STYLES)],
  });

const travelsWith = (artist: Artist, number: number, random: Random): SourceRow => {
  const other = (artist.catalogId + number * 7_919 + random.whole(0, 50)) % OTHERS;
  return rowOf(catalogArtistTravelsWith, {
    catalog_artist_id: artist.catalogId,
    other_catalog_artist_id: catalogIdOf(other) + number * OTHERS,
    other_name: uniqueName(other),
    other_slug: artistSlug(other),
    affinity: decimal(random, 0, 1),
    support: random.whole(5, 900),
  });
};

const master = (artist: Artist, number: number, random: Random): SourceRow =>
  rowOf(catalogMaster, {
    master_id: artist.catalogId * MOST_MASTERS + number,
    title: title(random, 1, 5),
    artist_display: artist.name,
    catalog_artist_ids: [artist.catalogId],
    artist_cluster_id: random.chance(0.8) ? artist.clusterId : null,
    year: random.whole(1965, 2019),
    genres: [random.pick(GENRES)],
    styles: many(random.whole(1, 2), () => random.pick(STYLES)),
    formats: [random.pick(['LP', '12"', 'CD', 'File'])],
    country: random.pick(COUNTRIES),
    labels: [title(random, 1, 2)],
    release_count: random.whole(1, 30),
    rg_mbid: random.chance(0.3) ? uuidText(random) : null,
    tracklist: many(random.whole(2, 6), (index) => ({
      position: String(index + 1),
      title: title(random, 1, 4),
      duration_s: random.whole(90, 600),
    })),
  });

const releaseGroup = (artist: Artist, _number: number, random: Random): SourceRow =>
  rowOf(mbReleaseGroup, {
    rg_mbid: uuidText(random),
    catalog_artist_id: artist.catalogId,
    is_exact_bind: random.chance(0.7),
    title: title(random, 1, 5),
    first_release_date: randomDay(random, 30),
    primary_type: random.pick(['Album', 'Single', 'EP']),
  });

const marketplace = (artist: Artist, number: number, random: Random): SourceRow =>
  rowOf(catalogMarketplaceWeekly, {
    catalog_artist_id: artist.catalogId,
    snapshot_date: `2019-06-${String(2 + number * 7).padStart(2, '0')}`,
    currency: 'EUR',
    priced_releases: random.whole(1, 60),
    copies_for_sale: random.whole(1, 3_000),
    market_floor: decimal(random, 1, 10),
    typical_sale: decimal(random, 5, 40),
    historical_ceiling: decimal(random, 40, 900),
  });

const rightsRollup = (artist: Artist, random: Random): SourceRow =>
  rowOf(mbArtistRightsRollup, {
    catalog_artist_id: artist.catalogId,
    distinct_recordings: random.whole(1, 300),
    recordings_with_isrc: random.whole(0, 200),
    distinct_isrcs: random.whole(0, 200),
    distinct_works: random.whole(0, 200),
    works_with_iswc: random.whole(0, 150),
  });

/** What the catalogue and the metadata database hold of an artist. */
export function catalogRows(artist: Artist, random: Random): SourceRow[] {
  const upTo = (most: number) => Math.round(artist.fame * most);
  const list = (count: number, make: (artist: Artist, number: number, random: Random) => SourceRow) =>
    many(count, (number) => make(artist, number, random));
  return [
    entry(artist, random),
    ...(random.chance(0.8) ? [behavior(artist, random)] : []),
    ...list(upTo(12), travelsWith),
    ...list(2 + upTo(12), master),
    ...list(upTo(6), releaseGroup),
    ...list(upTo(4), marketplace),
    ...(random.chance(0.5) ? [rightsRollup(artist, random)] : []),
  ];
}
