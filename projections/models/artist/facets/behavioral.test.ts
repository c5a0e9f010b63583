import { describe, expect, it } from 'vitest';
import {
  artistFacetRows,
  boundArtist,
  clusterOnlyArtist,
  unboundArtist,
} from '../../../../test/support/rows/artist.ts';
import { rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { catalogArtistBehavior } from '../../../contracts/catalog/artist-behavior.ts';
import { catalogArtistTravelsWith } from '../../../contracts/catalog/artist-travels-with.ts';
import { wantlistDemandByClusterV1 } from '../../../contracts/mirror/wantlist-demand-by-cluster-v1.ts';
import type { ArtistRows } from '../facet.ts';
import { behavioral } from './behavioral.ts';

const behavior = {
  owner_reach: 120,
  wantlist_demand: 40,
  collector_coownership: 0.25,
  community_footprint: 900,
  work_count: 12,
  master_count_with_genre: 9,
  primary_genre: 'Electronic',
  primary_styles: ['Techno', 'Ambient'],
};
const wantlist = rowsOf(wantlistDemandByClusterV1, {
  owner_reach: 7,
  wantlist_demand: 5,
  distinct_masters: 3,
});

const nothing = {
  collectorCoownership: null,
  communityFootprint: null,
  workCount: null,
  masterCountWithGenre: null,
  travelsWith: [],
  primaryGenre: null,
  primaryStyles: [],
};

const built = (rows: ArtistRows) => behavioral.build(rows).value;

describe('behavioral of a catalogue artist', () => {
  it('comes from collectors, not from the cluster table', () => {
    const travels = rowsOf(catalogArtistTravelsWith, {
      other_catalog_artist_id: 9,
      other_name: 'Füzz',
      other_slug: 'füzz',
      affinity: 0.5,
      support: 6,
    });
    expect(
      built(artistFacetRows(boundArtist, rowsOf(catalogArtistBehavior, behavior), travels, wantlist)),
    ).toEqual({
      state: 'present',
      signals: {
        ownerReach: { kind: 'count', value: 120 },
        wantlistDemand: { kind: 'count', value: 40 },
        collectorCoownership: 0.25,
        communityFootprint: 900,
        workCount: 12,
        masterCountWithGenre: 9,
        travelsWith: [
          {
            catalogArtistId: 9,
            name: 'Füzz',
            slug: 'füzz',
            affinity: 0.5,
            support: 6,
            _links: { artist: '/api/v2/artist/f%C3%BCzz' },
          },
        ],
        primaryGenre: 'Electronic',
        primaryStyles: ['Techno', 'Ambient'],
      },
    });
  });

  it.each([
    [0, 0],
    [4, 0],
    [5, 5],
  ])('reports %i wishes as %i', (wishes, reported) => {
    const rows = artistFacetRows(unboundArtist, rowsOf(catalogArtistBehavior, { wantlist_demand: wishes }));
    expect(built(rows)).toMatchObject({
      signals: { wantlistDemand: { kind: 'count', value: reported } },
    });
  });

  it('leaves unknown numbers null, never zero', () => {
    expect(built(artistFacetRows(unboundArtist, rowsOf(catalogArtistBehavior, {})))).toEqual({
      state: 'present',
      signals: nothing,
    });
  });

  it('is present with companions alone', () => {
    expect(
      built(artistFacetRows(unboundArtist, rowsOf(catalogArtistTravelsWith, { other_catalog_artist_id: 8 }))),
    ).toMatchObject({
      state: 'present',
      signals: { workCount: null, travelsWith: [{ catalogArtistId: 8 }] },
    });
  });

  it('lists the twelve closest companions by affinity, support and id', () => {
    const far = Array.from({ length: 11 }, (_, index) => ({
      other_catalog_artist_id: 100 + index,
      affinity: 0.1,
      support: 9,
    }));
    const companions = [
      ...far,
      { other_catalog_artist_id: 4, affinity: 0.5, support: 6 },
      { other_catalog_artist_id: 2, affinity: 0.5, support: 6 },
      { other_catalog_artist_id: 30, affinity: 0.5, support: 7 },
      { other_catalog_artist_id: 1, affinity: 0.9, support: 5 },
    ];
    const { signals } = built(
      artistFacetRows(unboundArtist, rowsOf(catalogArtistTravelsWith, ...companions)),
    ) as {
      signals: { travelsWith: { catalogArtistId: number }[] };
    };
    expect(signals.travelsWith.map((other) => other.catalogArtistId)).toEqual([
      1, 30, 2, 4, 100, 101, 102, 103, 104, 105, 106, 107,
    ]);
  });

  it('is a gap if only the cluster table has ever delivered', () => {
    expect(behavioral.build(artistFacetRows(boundArtist, wantlist)).state).toBe('honest_gap');
  });
});

describe('behavioral of a cluster', () => {
  it('has only owners and wishes', () => {
    const rows = artistFacetRows(clusterOnlyArtist, wantlist, rowsOf(catalogArtistBehavior, behavior));
    expect(built(rows)).toEqual({
      state: 'present',
      signals: {
        ...nothing,
        ownerReach: { kind: 'count', value: 7 },
        wantlistDemand: { kind: 'count', value: 5 },
      },
    });
  });

  it('reports fewer than five wishes as none', () => {
    const rows = artistFacetRows(
      clusterOnlyArtist,
      rowsOf(wantlistDemandByClusterV1, { owner_reach: 2, wantlist_demand: 4 }),
    );
    expect(built(rows)).toMatchObject({
      signals: {
        ownerReach: { value: 2 },
        wantlistDemand: { kind: 'count', value: 0 },
      },
    });
  });

  it('is a gap if only the catalogue has ever delivered', () => {
    const rows = artistFacetRows(clusterOnlyArtist, rowsOf(catalogArtistBehavior, behavior));
    expect(behavioral.build(rows).state).toBe('honest_gap');
  });
});
