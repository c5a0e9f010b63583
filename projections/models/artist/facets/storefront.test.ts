import { describe, expect, it } from 'vitest';
import {
  artistFacetRows,
  boundArtist,
  clusterOnlyArtist,
  unboundArtist,
} from '../../../../test/support/rows/artist.ts';
import { CLUSTER, rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { mbReleaseGroup } from '../../../contracts/mb/release-group.ts';
import { storefrontItem } from '../../../contracts/storefront/item.ts';
import { hosts } from '../../config.ts';
import type { ArtistSubject } from '../facet.ts';
import { artwork } from './artwork.ts';
import { storefrontReleases } from './storefront-releases.ts';

const mbid = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;

const items = rowsOf(
  storefrontItem,
  { item_id: 'undated', artwork_url: 'https://shop.test/undated.jpg' },
  { item_id: 'newest', release_date: '2019-03-01T00:00:00Z' },
  {
    item_id: 'b',
    release_date: '2018-03-01T00:00:00Z',
    artwork_url: 'https://shop.test/b.jpg',
  },
  {
    item_id: 'a',
    release_date: '2018-03-01T00:00:00Z',
    artwork_url: 'https://shop.test/a.jpg',
  },
);
const groups = rowsOf(
  mbReleaseGroup,
  { rg_mbid: mbid(4) },
  { rg_mbid: mbid(2), first_release_date: '2001' },
  { rg_mbid: mbid(1), first_release_date: '2001' },
  { rg_mbid: mbid(3), first_release_date: '2001-05', is_exact_bind: true },
);

const shop = (id: string, grain: 'artist' | 'release') => ({
  url: `https://shop.test/${id}.jpg`,
  source: 'storefront',
  grain,
  license: 'all-rights-reserved',
  rehost: false,
  width: 700,
  height: 700,
});
const archived = (last: number) => ({
  url: `${hosts.coverarchive}/release-group/${mbid(last)}/front-500`,
  source: 'coverarchive',
  grain: 'release',
  license: 'see-source',
  rehost: false,
});

it('links only to web pages and images', () => {
  const stream = rowsOf(storefrontItem, {
    album_url: 'https://t4.bcbits.com/stream/a/mp3-128/1?token=1',
    artwork_url: 'javascript:alert(1)',
  });
  expect(storefrontReleases.build(artistFacetRows(clusterOnlyArtist, stream)).value).toMatchObject({
    signals: { items: [{ albumUrl: null, artworkUrl: null }] },
  });
  expect(artwork.build(artistFacetRows(clusterOnlyArtist, stream)).state).toBe('empty');
});

describe('artwork', () => {
  const itemsOf = (subject: ArtistSubject) => {
    const { value } = artwork.build(artistFacetRows(subject, items, groups));
    return (value as { signals: { items: unknown } }).signals.items;
  };
  const covers = [shop('a', 'artist'), shop('b', 'release'), shop('undated', 'release')];
  const archive = [archived(3), archived(1), archived(2), archived(4)];

  it('combines both sources for a catalogue artist with a cluster', () => {
    expect(itemsOf(boundArtist)).toStrictEqual([...covers, ...archive]);
  });

  it('comes from the archive alone without a cluster', () => {
    expect(itemsOf(unboundArtist)).toStrictEqual(archive);
  });

  it('comes from the storefront alone in the cluster lane', () => {
    expect(itemsOf(clusterOnlyArtist)).toStrictEqual(covers);
  });

  it('is empty if no release has a cover', () => {
    const bare = rowsOf(storefrontItem, { item_id: 'bare' });
    expect(artwork.build(artistFacetRows(clusterOnlyArtist, bare)).value).toEqual({
      state: 'empty',
      signals: null,
    });
  });

  it('shows at most twenty-four', () => {
    const many = Array.from({ length: 23 }, (_, index) => ({
      artwork_url: `https://shop.test/${index}.jpg`,
    }));
    const { value } = artwork.build(artistFacetRows(boundArtist, rowsOf(storefrontItem, ...many), groups));
    const shown = (value as { signals: { items: unknown[] } }).signals.items;
    expect(shown).toHaveLength(24);
    expect(shown[23]).toEqual(archived(3));
  });
});

describe('storefront_releases', () => {
  it('lists the releases of a cluster, newest first, each with its own path', () => {
    const rows = rowsOf(
      storefrontItem,
      { item_id: 'undated b', title: 'B', album_url: 'https://shop.test/b' },
      { item_id: 'undated a', title: 'A', album_url: 'https://shop.test/a' },
      {
        item_id: 'shop/1?x',
        title: 'New',
        album_url: 'https://shop.test/new',
        release_date: '2019-03-01T00:00:00Z',
        artwork_url: 'https://shop.test/new.jpg',
        price_type: 2,
        tags: ['dub', 'ambient'],
      },
    );
    const undated = (id: string, title: string) => ({
      storefrontItemId: `undated ${id}`,
      title,
      releaseDate: null,
      albumUrl: `https://shop.test/${id}`,
      artworkUrl: null,
      priceType: null,
      tags: [],
      _links: {
        release: `/api/v2/artist/${CLUSTER}/storefront/undated%20${id}`,
      },
    });
    expect(storefrontReleases.build(artistFacetRows(clusterOnlyArtist, rows)).value).toEqual({
      state: 'present',
      signals: {
        count: 3,
        items: [
          {
            storefrontItemId: 'shop/1?x',
            title: 'New',
            releaseDate: '2019-03-01T00:00:00Z',
            albumUrl: 'https://shop.test/new',
            artworkUrl: 'https://shop.test/new.jpg',
            priceType: 2,
            tags: ['dub', 'ambient'],
            _links: {
              release: `/api/v2/artist/${CLUSTER}/storefront/shop%2F1%3Fx`,
            },
          },
          undated('a', 'A'),
          undated('b', 'B'),
        ],
      },
    });
  });

  it('is a gap in the catalogue lane, even with a cluster', () => {
    expect(storefrontReleases.build(artistFacetRows(boundArtist, items)).value).toEqual({
      state: 'honest_gap',
      signals: null,
    });
  });

  it('lists two hundred and counts all', () => {
    const many = Array.from({ length: 201 }, (_, index) => ({
      item_id: String(index),
      release_date: new Date(Date.UTC(2010, 0, index + 1)).toISOString().replace('.000Z', 'Z'),
    }));
    const { signals } = storefrontReleases.build(
      artistFacetRows(clusterOnlyArtist, rowsOf(storefrontItem, ...many)),
    ).value as {
      signals: { count: number; items: { storefrontItemId: string }[] };
    };
    expect(signals.count).toBe(201);
    expect(signals.items.map((item) => item.storefrontItemId)).toEqual(
      Array.from({ length: 200 }, (_, index) => String(200 - index)),
    );
  });
});
