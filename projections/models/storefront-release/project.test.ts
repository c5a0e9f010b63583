import { describe, expect, it } from 'vitest';
import { mirrorRows, rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import type { RowOf } from '../../contracts/columns.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import type { Read, SourceRegistry } from '../../engine/projection.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { storefrontReleaseProjection } from './project.ts';

type Bridge = Partial<RowOf<typeof artistIdentityBridge.columns>>;

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const registry: SourceRegistry = { idOf: () => 1 };

const items = rowsOf(
  storefrontItem,
  { item_id: 'i1', cluster_id: A },
  { item_id: 'i2', cluster_id: A },
  { item_id: 'i3', cluster_id: B },
);
const bridges = (...rows: Bridge[]): SourceRows =>
  rowsOf(
    artistIdentityBridge,
    ...rows.map((row) => ({ catalog_artist_id: 7, catalog_artist_id_count: 1, ...row })),
  );

/** Projects keys from rows, and counts how often rows were read. */
async function project(keys: readonly SubjectRef[], ...given: readonly SourceRows[]) {
  const rows = mirrorRows(...given);
  let readings = 0;
  const readRows = async (_reads: readonly Read[], _subjects: readonly SubjectRef[]) => {
    readings++;
    return rows;
  };
  const projected = await storefrontReleaseProjection.project(keys, readRows, registry);
  return { projected, readings };
}

async function addressesOf(key: SubjectRef, ...given: readonly SourceRows[]) {
  const { projected } = await project([key], items, ...given);
  return projected[0]?.document?.lookupKeys.map(({ value }) => value);
}

describe('the lookup keys of a release', () => {
  it('are those of its cluster and of the catalogue artist bound to it', async () => {
    expect(await addressesOf('storefront-item:i1')).toEqual([`artist:${A}/i1`]);
    expect(await addressesOf('storefront-item:i1', bridges({ cluster_id: A }))).toEqual([
      `artist:${A}/i1`,
      'catalog-artist:7/i1',
    ]);
    expect(await addressesOf('storefront-item:i3', bridges({ cluster_id: A }))).toEqual([`artist:${B}/i3`]);
  });

  it('omit a catalogue artist bound to another cluster', async () => {
    const both = bridges({ cluster_id: A, confidence: 0.9 }, { cluster_id: B, is_exact: true });
    expect(await addressesOf('storefront-item:i1', both)).toEqual([`artist:${A}/i1`]);
    expect(await addressesOf('storefront-item:i3', both)).toEqual([`artist:${B}/i3`, 'catalog-artist:7/i3']);
  });

  it('omit a catalogue artist with an over-merged cluster', async () => {
    const merged = bridges({ cluster_id: A, catalog_artist_id_count: 2, is_exact: true });
    expect(await addressesOf('storefront-item:i1', merged)).toEqual([`artist:${A}/i1`]);
  });

  it('contain the id unchanged', async () => {
    const odd = rowsOf(storefrontItem, { item_id: 'a/b: ü 東', cluster_id: A });
    const { projected } = await project(['storefront-item:a/b: ü 東'], odd);
    expect(projected[0]?.document?.lookupKeys).toEqual([
      { value: `artist:${A}/a/b: ü 東`, rank: 0, support: 0 },
    ]);
  });
});

describe('a dirty artist', () => {
  const dependentsOf = async (key: SubjectRef, ...given: readonly SourceRows[]) => {
    const { projected } = await project([key], items, ...given);
    expect(projected).toMatchObject([{ key, document: null }]);
    return projected[0]?.dependents;
  };

  it('that is a cluster has its releases as dependents', async () => {
    expect(await dependentsOf(`artist:${A}`)).toEqual(['storefront-item:i1', 'storefront-item:i2']);
    expect(await dependentsOf(`artist:${'cc'.repeat(32)}`)).toEqual([]);
  });

  it('of the catalogue has the clusters whose bridges name it as dependents', async () => {
    const both = bridges({ cluster_id: A }, { cluster_id: B, catalog_artist_id_count: 3 });
    expect(await dependentsOf('catalog-artist:7', both)).toEqual([`artist:${A}`, `artist:${B}`]);
    expect(await dependentsOf('catalog-artist:8', both)).toEqual([]);
  });
});

it('has no document without an item', async () => {
  const tracks = rowsOf(storefrontTrack, { item_id: 'i9', cluster_id: A });
  const { projected } = await project(['storefront-item:i9'], items, tracks);
  expect(projected).toEqual([{ key: 'storefront-item:i9', document: null, dependents: [] }]);
});

it('reads rows equally often for many keys and for one', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `i${index}`);
  const given = [
    rowsOf(storefrontItem, ...many.map((item_id, index) => ({ item_id, cluster_id: clusterOf(index) }))),
    bridges(...many.map((_, index) => ({ cluster_id: clusterOf(index), catalog_artist_id: index }))),
  ];
  const one = await project(['storefront-item:i0'], ...given);
  const all = await project(
    many.map((id): SubjectRef => `storefront-item:${id}`),
    ...given,
  );
  expect(all.projected[299]?.document?.lookupKeys).toHaveLength(2);
  expect(all.readings).toBe(3);
  expect(all.readings).toBe(one.readings);
});

const clusterOf = (index: number): string => index.toString(16).padStart(64, '0');
