import { describe, expect, it } from 'vitest';
import { readRowsFrom } from '../../../test/support/rows/master.ts';
import {
  CATALOG_ID,
  CLUSTER,
  OTHER_CLUSTER,
  rowsOf,
  type SourceRows,
} from '../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../contracts/catalog/artist-behavior.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { browseProjection } from './project.ts';

const KEY: SubjectRef = `catalog-artist:${CATALOG_ID}`;
const artist = rowsOf(catalogArtist, { name: 'Mono', slug: 'Mono' });
const behavior = rowsOf(catalogArtistBehavior, {
  owner_reach: 40,
  primary_genre: 'Electronic',
  primary_styles: ['Techno', 'House', 'Techno'],
});
const certain = { catalog_artist_id_count: 1, is_exact: true, confidence: 0.9 };
const bridge = rowsOf(artistIdentityBridge, certain);
const momentum = rowsOf(artistMomentum, {
  emergence_tier: 'rising',
  momentum_tier: 'cooling',
  momentum_score: -2,
});

async function project(key: SubjectRef, ...given: readonly SourceRows[]) {
  const [projected] = await browseProjection.project([key], readRowsFrom(given), { idOf: () => 0 });
  if (projected === undefined) throw new Error(`${key} was not projected`);
  return projected;
}

async function listed(...given: readonly SourceRows[]) {
  const { document } = await project(KEY, ...given);
  if (document === null) return null;
  return { item: JSON.parse(document.body().toString()), lookupKeys: document.lookupKeys };
}

describe('a catalogue artist', () => {
  it('is listed with the data of its sources', async () => {
    expect((await listed(artist, behavior, bridge, momentum))?.item).toEqual({
      display: 'Mono',
      slug: 'mono',
      catalog_artist_id: CATALOG_ID,
      cluster_id: CLUSTER,
      primary_genre: 'Electronic',
      primary_styles: ['Techno', 'House', 'Techno'],
      emergence_tier: 'rising',
      momentum_tier: 'cooling',
      owner_reach: 40,
    });
  });

  it('is in the lists of all artists, its genre, each style and both, in two orders while it is tracked', async () => {
    const listsOf = (found: Awaited<ReturnType<typeof listed>>) =>
      found?.lookupKeys.map(({ value }) => value.split('\u001f').slice(0, 2).join('|')).sort();
    const lists = ['Electronic|', 'Electronic|House', 'Electronic|Techno', '|', '|House', '|Techno'];
    expect(listsOf(await listed(artist, behavior))).toEqual(lists);
    expect(listsOf(await listed(artist, behavior, bridge, momentum))).toEqual(
      lists.flatMap((list) => [list, list]),
    );
  });

  it('is listed with its own row alone, and not without it', async () => {
    expect((await listed(artist))?.item).toEqual({
      display: 'Mono',
      slug: 'mono',
      catalog_artist_id: CATALOG_ID,
      cluster_id: null,
      primary_genre: null,
      primary_styles: [],
      emergence_tier: null,
      momentum_tier: null,
      owner_reach: null,
    });
    expect(await listed(behavior, bridge, momentum)).toBeNull();
  });

  it.each([
    ['is not exact', { is_exact: false }],
    ['names several artists', { catalog_artist_id_count: 2 }],
  ])('ignores a bridge that %s', async (_why, flaw) => {
    const found = await listed(artist, rowsOf(artistIdentityBridge, { ...certain, ...flaw }), momentum);
    expect(found?.item).toMatchObject({ cluster_id: null, emergence_tier: null, momentum_tier: null });
  });

  it('has the surest of several clusters', async () => {
    const bridges = rowsOf(
      artistIdentityBridge,
      { ...certain, confidence: 0.8 },
      { ...certain, cluster_id: OTHER_CLUSTER, confidence: 0.95 },
    );
    expect((await listed(artist, bridges, momentum))?.item).toMatchObject({
      cluster_id: OTHER_CLUSTER,
      emergence_tier: null,
    });
  });

  it.each([
    [null, null],
    [0, null],
    [4, null],
    [5, 5],
  ])('of %s owners publishes %s', async (owners, expected) => {
    expect(
      (await listed(artist, rowsOf(catalogArtistBehavior, { owner_reach: owners })))?.item.owner_reach,
    ).toBe(expected);
  });

  it('has the same keys with no owners as with too few owners to publish', async () => {
    const keysOf = async (owners: number | null) =>
      (await listed(artist, rowsOf(catalogArtistBehavior, { owner_reach: owners })))?.lookupKeys;
    expect(await keysOf(4)).toEqual(await keysOf(null));
    expect(await keysOf(5)).not.toEqual(await keysOf(4));
  });
});

it('a cluster has no document, and its bound catalogue artist as dependent', async () => {
  expect(await project(`artist:${CLUSTER}`, artist, bridge, momentum)).toEqual({
    key: `artist:${CLUSTER}`,
    document: null,
    dependents: [KEY],
  });
});
