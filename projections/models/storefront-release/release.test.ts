import { describe, expect, it } from 'vitest';
import { bySubject } from '../../../test/support/rows/by-subject.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import type { RowOf } from '../../contracts/columns.ts';
import type { Source } from '../../contracts/contract.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../../engine/rows.ts';
import { buildRelease } from './release.ts';

const KEY: SubjectRef = 'storefront-item:i1';
const CLUSTER = 'a7'.repeat(32);

/** Rows of one source about the release. */
type Given = readonly [Source, readonly MirrorRow[]];

/** The rows of the release. A source without an entry has never delivered. */
function mirror(...given: readonly Given[]): MirrorRows {
  const rows = given.map(([source, entries]) => [source.table, new Map([[KEY, entries]])] as const);
  return new MirrorRows(bySubject(rows), new Set(given.map(([source]) => source.table)));
}

const item = (columns: Partial<RowOf<typeof storefrontItem.columns>> = {}): Given => {
  const { rows } = rowsOf(storefrontItem, { item_id: 'i1', cluster_id: CLUSTER, ...columns });
  return [storefrontItem, rows.map((row) => ({ row, changedAt: 1_000 }))];
};

const tracks = (count: number): Given => {
  const { rows } = rowsOf(
    storefrontTrack,
    ...Array.from({ length: count }, (_, index) => ({ track_no: index + 1, title: `Part ${index + 1}` })),
  );
  return [storefrontTrack, rows.map((row, index) => ({ row, changedAt: 2_000 + index }))];
};

const membersOf = (...given: readonly Given[]) => buildRelease(KEY, mirror(...given))?.members;

describe('a release', () => {
  it('is served as the storefront lists it', () => {
    const dossier = buildRelease(
      KEY,
      mirror(
        item({
          title: 'First Light',
          release_date: '2031-03-01T00:00:00Z',
          album_url: 'https://artist.shop.test/album/first-light',
          tags: ['ambient', 'drone'],
          label: 'Own Label',
          artwork_url: 'https://f4.bcbits.com/img/a1_16.jpg',
          price_type: 2,
          about: 'Recorded at dawn.',
          credits: 'All by hand.',
          upc: '0012345678905',
        }),
        tracks(1),
      ),
    );
    expect(dossier?.within).toEqual({
      members: { object: 'storefront.release', present: true },
      name: 'release',
    });
    expect(Object.entries(dossier?.members ?? {})).toEqual([
      ['storefront_item_id', 'i1'],
      ['cluster_id', CLUSTER],
      ['title', 'First Light'],
      ['release_date', '2031-03-01T00:00:00Z'],
      ['album_url', 'https://artist.shop.test/album/first-light'],
      ['tags', ['ambient', 'drone']],
      ['label', 'Own Label'],
      [
        'artwork',
        [
          {
            url: 'https://f4.bcbits.com/img/a1_16.jpg',
            source: 'storefront',
            grain: 'release',
            license: 'all-rights-reserved',
            rehost: false,
            width: 700,
            height: 700,
          },
        ],
      ],
      ['tracks', [{ track_no: 1, title: 'Part 1', duration_s: null, track_url: null }]],
      ['price_type', 2],
      ['about', 'Recorded at dawn.'],
      ['credits', 'All by hand.'],
      ['economics', { upc: '0012345678905', formats: null, scarcity: null }],
    ]);
  });

  it('does not exist without its own row, even with tracks', () => {
    expect(buildRelease(KEY, mirror(tracks(2)))).toBeNull();
    expect(buildRelease('storefront-item:other', mirror(item()))).toBeNull();
  });

  it('links to no stream and shows only web images', () => {
    for (const url of ['https://t4.bcbits.com/stream/1', 'javascript:alert(1)', '']) {
      expect(membersOf(item({ album_url: url }))).toMatchObject({ album_url: null });
    }
    for (const url of ['data:image/png;base64,AA', '//f4.bcbits.com/img/1.jpg', '', null]) {
      expect(membersOf(item({ artwork_url: url }))).toMatchObject({ artwork: [] });
    }
  });

  it.each([1, 2, null] as const)('has the price type %s', (price_type) => {
    expect(membersOf(item({ price_type }))).toMatchObject({ price_type });
  });
});

describe('provenance', () => {
  const statesOf = (...given: readonly Given[]) =>
    buildRelease(KEY, mirror(...given))?.provenance.map(({ of: { source }, state, refreshedAt }) => [
      source.table,
      state,
      refreshedAt,
    ]);

  it('covers release, tracks, economics and artwork', () => {
    const full = item({ upc: '1', artwork_url: 'https://shop.test/a.jpg' });
    expect(statesOf(full, tracks(3))).toEqual([
      ['storefront.item', 'present', 1_000],
      ['storefront.track', 'present', 2_002],
      ['storefront.item', 'present', 1_000],
      ['storefront.item', 'present', 1_000],
    ]);
  });

  it('distinguishes empty from never delivered', () => {
    const states = (state: string) => [
      ['storefront.item', 'present', 1_000],
      ['storefront.track', state, null],
      ['storefront.item', 'empty', null],
      ['storefront.item', 'empty', null],
    ];
    expect(statesOf(item(), tracks(0))).toEqual(states('empty'));
    expect(statesOf(item())).toEqual(states('honest_gap'));
  });

  it.each([{ upc: '1' }, { formats: [] }, { low_stock: false }])('has economics with %o alone', (columns) => {
    expect(statesOf(item(columns))?.[2]?.[1]).toBe('present');
  });
});
