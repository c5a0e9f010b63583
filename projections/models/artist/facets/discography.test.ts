import { describe, expect, it } from 'vitest';
import {
  artistFacetRows,
  boundArtist,
  clusterOnlyArtist,
  unboundArtist,
} from '../../../../test/support/rows/artist.ts';
import { CATALOG_ID, CLUSTER, rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { catalogMaster } from '../../../contracts/catalog/master.ts';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import { discography } from './discography.ts';

const masters = rowsOf(
  catalogMaster,
  { master_id: 10, title: 'Undated', artist_cluster_id: CLUSTER },
  { master_id: 9, title: 'Undated too', artist_cluster_id: CLUSTER },
  { master_id: 30, title: 'Late', year: 2010, artist_cluster_id: CLUSTER },
  {
    master_id: 4,
    title: 'Late too',
    year: 2010,
    artist_cluster_id: CLUSTER,
    catalog_artist_ids: [1, CATALOG_ID],
    genres: ['Electronic'],
    styles: ['Dub'],
    formats: ['LP', 'CD'],
    country: 'GB',
  },
  {
    master_id: 1,
    title: 'Split',
    year: 2012,
    catalog_artist_ids: [2, CATALOG_ID],
    artist_cluster_id: null,
  },
);

const plain = { genres: [], styles: [], formats: [], country: null };
const expected = (key: string) => {
  const _links = (id: number) => ({
    master: `/api/v2/artist/${key}/master/${id}`,
  });
  return [
    {
      catalogMasterId: 4,
      title: 'Late too',
      year: 2010,
      genres: ['Electronic'],
      styles: ['Dub'],
      formats: ['LP', 'CD'],
      country: 'GB',
      _links: _links(4),
    },
    {
      ...plain,
      catalogMasterId: 30,
      title: 'Late',
      year: 2010,
      _links: _links(30),
    },
    {
      ...plain,
      catalogMasterId: 9,
      title: 'Undated too',
      year: null,
      _links: _links(9),
    },
    {
      ...plain,
      catalogMasterId: 10,
      title: 'Undated',
      year: null,
      _links: _links(10),
    },
  ];
};

describe('discography', () => {
  it.each([boundArtist, unboundArtist])(
    'lists the masters that credit the catalogue artist, newest first',
    (subject) => {
      const split = {
        ...plain,
        catalogMasterId: 1,
        title: 'Split',
        year: 2012,
        _links: { master: '/api/v2/artist/some-artist/master/1' },
      };
      expect(discography.build(artistFacetRows(subject, masters)).value).toStrictEqual({
        state: 'present',
        signals: { count: 5, items: [split, ...expected('some-artist')] },
      });
    },
  );

  it.each([
    ['an authoritative bind', { catalog_artist_id_count: 1, is_exact: true }, true, {}],
    ['a bind that is not exact', { catalog_artist_id_count: 1, is_exact: false }, false, {}],
    ['an over-merge', { catalog_artist_id_count: 2, is_exact: true }, false, { observed: true }],
    [
      'a bind to another artist',
      { catalog_artist_id: 99, catalog_artist_id_count: 1, is_exact: true },
      false,
      {},
    ],
  ])('lists the masters filed under a cluster with %s', (_name, bridge, isLinked, flag) => {
    const bridges = rowsOf(artistIdentityBridge, bridge);
    const items = expected(CLUSTER).map((item) => ({
      ...item,
      ...flag,
      ...(isLinked ? {} : { _links: {} }),
    }));
    expect(discography.build(artistFacetRows(clusterOnlyArtist, masters, bridges)).value).toStrictEqual({
      state: 'present',
      signals: { count: 4, items },
    });
  });

  it('links no masters of a cluster without a bridge', () => {
    const { signals } = discography.build(artistFacetRows(clusterOnlyArtist, masters)).value as {
      signals: { items: { _links: object }[] };
    };
    for (const { _links } of signals.items) expect(_links).toEqual({});
  });

  it('is empty for a cluster that no master is filed under', () => {
    const rows = artistFacetRows(clusterOnlyArtist, rowsOf(catalogMaster, { artist_cluster_id: null }));
    expect(discography.build(rows).value).toEqual({
      state: 'empty',
      signals: null,
    });
  });

  it('lists two hundred and counts all', () => {
    const many = Array.from({ length: 201 }, (_, index) => ({
      master_id: index,
      year: 1800 + index,
    }));
    const { signals } = discography.build(artistFacetRows(unboundArtist, rowsOf(catalogMaster, ...many)))
      .value as {
      signals: { count: number; items: { year: number }[] };
    };
    expect(signals.count).toBe(201);
    expect(signals.items.map((item) => item.year)).toEqual(
      Array.from({ length: 200 }, (_, index) => 2000 - index),
    );
  });
});
