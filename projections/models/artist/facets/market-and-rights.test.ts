import { describe, expect, it } from 'vitest';
import {
  artistFacetRows,
  boundArtist,
  clusterOnlyArtist,
  unboundArtist,
} from '../../../../test/support/rows/artist.ts';
import { rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { catalogMarketplaceWeekly } from '../../../contracts/catalog/marketplace-weekly.ts';
import { ledgerRightsByCluster } from '../../../contracts/ledger/rights-by-cluster.ts';
import { mbArtistRightsRollup } from '../../../contracts/mb/artist-rights-rollup.ts';
import { mbReleaseGroup } from '../../../contracts/mb/release-group.ts';
import { artistScRightsRollupV1 } from '../../../contracts/seen/artist-sc-rights-rollup-v1.ts';
import type { ArtistSubject } from '../facet.ts';
import { debutAnchor } from './debut-anchor.ts';
import { marketplaceSupply } from './marketplace-supply.ts';
import { rightsReadiness } from './rights-readiness.ts';

describe('rights_readiness', () => {
  const sources = [
    rowsOf(mbArtistRightsRollup, {
      distinct_recordings: 50,
      recordings_with_isrc: 40,
      distinct_isrcs: 45,
      distinct_works: 20,
      works_with_iswc: 10,
    }),
    rowsOf(ledgerRightsByCluster, {
      registered_works: 8,
      works_with_iswc: 7,
      distinct_cowriters: 6,
      cowriters_with_mbid: 5,
    }),
    rowsOf(artistScRightsRollupV1, {
      tracks_with_isrc: 4,
      tracks_bound_to_work: 3,
      tracks_work_has_iswc: 2,
    }),
  ];
  const catalog = {
    distinctRecordings: 50,
    recordingsWithIsrc: 40,
    distinctIsrcs: 45,
    distinctWorks: 20,
    worksWithIswc: 10,
  };
  const ledger = {
    registeredWorks: 8,
    worksWithIswc: 7,
    distinctCowriters: 6,
    cowritersWithMbid: 5,
  };
  const audioshare = {
    tracksWithIsrc: 4,
    tracksBoundToWork: 3,
    tracksWorkHasIswc: 2,
  };

  it.each<[string, ArtistSubject, object]>([
    ['all blocks with both keys', boundArtist, { catalog, ledger, audioshare }],
    ['the catalogue block without a cluster', unboundArtist, { catalog, ledger: null, audioshare: null }],
    ['the cluster blocks in the cluster lane', clusterOnlyArtist, { catalog: null, ledger, audioshare }],
  ])('has %s', (_, subject, signals) => {
    expect(rightsReadiness.build(artistFacetRows(subject, ...sources)).value).toEqual({
      state: 'present',
      signals,
    });
  });

  it('leaves a block null if its source has no row', () => {
    const rows = artistFacetRows(clusterOnlyArtist, rowsOf(artistScRightsRollupV1), ...sources.slice(0, 2));
    expect(rightsReadiness.build(rows).value).toEqual({
      state: 'present',
      signals: { catalog: null, ledger, audioshare: null },
    });
  });
});

describe('marketplace_supply', () => {
  const older = { snapshot_date: '2019-06-17', currency: 'EUR' };
  const newest = {
    snapshot_date: '2019-06-24',
    currency: 'USD',
    priced_releases: 12,
    copies_for_sale: 80,
    market_floor: 2.5,
    typical_sale: 14,
    historical_ceiling: 300,
  };
  const latest = {
    snapshotDate: '2019-06-24',
    currency: 'USD',
    pricedReleases: 12,
    copiesForSale: 80,
    marketFloor: 2.5,
    typicalSale: 14,
    historicalCeiling: 300,
  };

  it.each([boundArtist, unboundArtist])('is the newest week, with the length of the series', (subject) => {
    const rows = rowsOf(catalogMarketplaceWeekly, older, newest, {
      ...older,
      snapshot_date: '2019-06-10',
    });
    expect(marketplaceSupply.build(artistFacetRows(subject, rows)).value).toEqual({
      state: 'present',
      signals: {
        latest,
        series: { snapshots: 3, earliestSnapshotDate: '2019-06-10' },
      },
    });
  });

  it('has no ceiling if none was observed', () => {
    const rows = rowsOf(catalogMarketplaceWeekly, {
      ...newest,
      historical_ceiling: null,
    });
    expect(marketplaceSupply.build(artistFacetRows(unboundArtist, rows)).value).toEqual({
      state: 'present',
      signals: {
        latest: { ...latest, historicalCeiling: null },
        series: { snapshots: 1, earliestSnapshotDate: '2019-06-24' },
      },
    });
  });
});

describe('debut_anchor', () => {
  const mbid = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
  const exact = (last: number, date: string | null) => ({
    rg_mbid: mbid(last),
    title: `Group ${last}`,
    is_exact_bind: true,
    first_release_date: date,
  });
  const anchorOf = (...rows: ReturnType<typeof exact>[]) =>
    debutAnchor.build(artistFacetRows(boundArtist, rowsOf(mbReleaseGroup, ...rows))).value;

  it('is the earliest dated group by exact bind, as precise as it is known', () => {
    const namesake = { ...exact(1, '1970'), is_exact_bind: false };
    expect(anchorOf(exact(2, '1999-11'), namesake, exact(3, '1998-12-31'), exact(4, null))).toEqual({
      state: 'present',
      signals: {
        rgMbid: mbid(3),
        title: 'Group 3',
        firstReleaseDate: '1998-12-31',
        datedReleaseGroupCount: 2,
      },
    });
  });

  it('takes a bare year before the days of that year, and the lower id of equal dates', () => {
    expect(anchorOf(exact(1, '1999-01-01'), exact(3, '1999'), exact(2, '1999'))).toMatchObject({
      signals: {
        rgMbid: mbid(2),
        firstReleaseDate: '1999',
        datedReleaseGroupCount: 3,
      },
    });
  });

  it('is empty if no exact group is dated', () => {
    expect(anchorOf(exact(1, null), { ...exact(2, '1980'), is_exact_bind: false })).toEqual({
      state: 'empty',
      signals: null,
    });
  });

  it('is a gap if no bind is exact', () => {
    expect(anchorOf({ ...exact(1, '1980'), is_exact_bind: false })).toEqual({
      state: 'honest_gap',
      signals: null,
    });
  });
});
