import { describe, expect, it } from 'vitest';
import { artistRows, bound, clusterOnly, unbound } from '../../../test/rows/artist.ts';
import { CATALOG_ID, CLUSTER, rowsOf } from '../../../test/rows/source-rows.ts';
import { catalogMaster } from '../../sources/catalog/master.ts';
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
  it.each([bound, unbound])('is of the masters that credit the catalogue artist, newest first', (subject) => {
    const split = {
      ...plain,
      catalogMasterId: 1,
      title: 'Split',
      year: 2012,
      _links: { master: '/api/v2/artist/some-artist/master/1' },
    };
    expect(discography.build(artistRows(subject, masters)).value).toStrictEqual({
      state: 'present',
      signals: { count: 5, items: [split, ...expected('some-artist')] },
    });
  });

  it('is of the masters filed under a cluster, flagged as observed', () => {
    expect(discography.build(artistRows(clusterOnly, masters)).value).toEqual({
      state: 'present',
      signals: {
        count: 4,
        items: expected(CLUSTER).map((item) => ({ ...item, observed: true })),
      },
    });
  });

  it('is empty for a cluster that no master is filed under', () => {
    const rows = artistRows(clusterOnly, rowsOf(catalogMaster, { artist_cluster_id: null }));
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
    const { signals } = discography.build(artistRows(unbound, rowsOf(catalogMaster, ...many))).value as {
      signals: { count: number; items: { year: number }[] };
    };
    expect(signals.count).toBe(201);
    expect(signals.items.map((item) => item.year)).toEqual(
      Array.from({ length: 200 }, (_, index) => 2000 - index),
    );
  });
});
