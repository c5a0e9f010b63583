import { type Static, Type } from '@sinclair/typebox';
import { catalogArtistBehavior } from '../../../contracts/catalog/artist-behavior.ts';
import { catalogArtistTravelsWith } from '../../../contracts/catalog/artist-travels-with.ts';
import { wantlistDemandByClusterV1 } from '../../../contracts/mirror/wantlist-demand-by-cluster-v1.ts';
import { fromSource } from '../../../engine/facet.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { Count, count, floorWishes, orNull } from '../../../engine/values.ts';
import { ArtistLink, artistPath } from '../../shared/links.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';

const TRAVELS_WITH_LIMIT = 12;

const TravelsWith = Type.Object(
  {
    catalogArtistId: Type.Number({ description: 'Catalogue id of the other artist.' }),
    name: Type.String({ description: 'Name of the other artist.' }),
    slug: Type.String({ description: 'Slug of the other artist.' }),
    affinity: Type.Number({
      description: 'Relative closeness of the other artist; it only orders the list.',
    }),
    support: Type.Number({ description: 'Collectors who own both.' }),
    _links: ArtistLink,
  },
  { description: 'One artist owned by the same collectors.' },
);

const Behavioral = Type.Object({
  ownerReach: Type.Optional(
    Type.Object(Count.properties, { description: 'Collectors who own the artist; left out where unknown.' }),
  ),
  wantlistDemand: Type.Optional(
    Type.Object(Count.properties, {
      description:
        'Collectors who want the artist, fewer than five of them reported as 0; left out where unknown.',
    }),
  ),
  collectorCoownership: orNull(
    Type.Number({
      description: 'Overlap of the collections of the owners; null where unknown.',
    }),
  ),
  communityFootprint: orNull(
    Type.Number({
      description: 'Share of the community with any interest in the artist; null where unknown.',
    }),
  ),
  workCount: orNull(
    Type.Number({ description: 'Works of the artist in the catalogue; null where unknown.' }),
  ),
  masterCountWithGenre: orNull(
    Type.Number({ description: 'Release groups of the artist that have a genre; null where unknown.' }),
  ),
  travelsWith: fromSource(
    catalogArtistTravelsWith,
    Type.Array(TravelsWith, {
      maxItems: TRAVELS_WITH_LIMIT,
      description: 'Artists owned by the same collectors, the closest first.',
    }),
  ),
  primaryGenre: orNull(
    Type.String({ description: 'Genre the artist is mostly filed under; null where unknown.' }),
  ),
  primaryStyles: Type.Array(Type.String({ description: 'Name of a style.' }), {
    description: 'Styles the artist is mostly filed under.',
  }),
});
type Behavioral = Static<typeof Behavioral>;

export const behavioral = defineArtistFacet({
  name: 'behavioral',
  sources: [catalogArtistBehavior, catalogArtistTravelsWith, wantlistDemandByClusterV1],
  lanes: {
    catalog: [catalogArtistBehavior, catalogArtistTravelsWith],
    cluster: [wantlistDemandByClusterV1],
  },
  description: 'Collector behaviour: owners, wants, genres and artists collected together.',
  signals: Behavioral,
  read: (rows) => (rows.subject.lane === 'catalog' ? ofCatalogArtist(rows) : ofCluster(rows)),
});

function ofCatalogArtist(rows: ArtistRows): Behavioral | null {
  const row = rows.one(catalogArtistBehavior);
  const travelsWith = travelsWithOf(rows);
  if (row === null && travelsWith.length === 0) return null;
  const ownerReach = count(row?.owner_reach ?? null);
  const wantlistDemand = count(floorWishes(row?.wantlist_demand ?? null));
  return {
    ...(ownerReach && { ownerReach }),
    ...(wantlistDemand && { wantlistDemand }),
    collectorCoownership: row?.collector_coownership ?? null,
    communityFootprint: row?.community_footprint ?? null,
    workCount: row?.work_count ?? null,
    masterCountWithGenre: row?.master_count_with_genre ?? null,
    travelsWith,
    primaryGenre: row?.primary_genre ?? null,
    primaryStyles: row?.primary_styles ?? [],
  };
}

function ofCluster(rows: ArtistRows): Behavioral | null {
  const row = rows.one(wantlistDemandByClusterV1);
  return (
    row && {
      ownerReach: count(row.owner_reach),
      wantlistDemand: count(floorWishes(row.wantlist_demand)),
      collectorCoownership: null,
      communityFootprint: null,
      workCount: null,
      masterCountWithGenre: null,
      travelsWith: [],
      primaryGenre: null,
      primaryStyles: [],
    }
  );
}

const travelsWithOf = (rows: ArtistRows): Static<typeof TravelsWith>[] =>
  sorted(
    rows.all(catalogArtistTravelsWith),
    descending((row) => row.affinity),
    descending((row) => row.support),
    ascending((row) => row.other_catalog_artist_id),
  )
    .slice(0, TRAVELS_WITH_LIMIT)
    .map((row) => ({
      catalogArtistId: row.other_catalog_artist_id,
      name: row.other_name,
      slug: row.other_slug,
      affinity: row.affinity,
      support: row.support,
      _links: { artist: artistPath(row.other_slug) },
    }));
