import { describe, expect, it } from 'vitest';
import { MASTER, MASTER_ID, projectMaster, readerOf } from '../../test/rows/master.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import type { SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { catalogMaster } from '../sources/catalog/master.ts';
import { catalogMasterCube } from '../sources/catalog/master-cube.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../sources/seen/master-propagation-timeline-cluster.ts';
import { masterProjection } from './project.ts';

const NAME_CLUSTER = 'a7'.repeat(32);
const filedUnder = (...ids: number[]) =>
  rowsOf(catalogMaster, {
    master_id: MASTER_ID,
    catalog_artist_ids: ids,
    artist_cluster_id: NAME_CLUSTER,
  });
const authoritative = { is_exact: true, catalog_artist_id_count: 1 };

describe('addresses', () => {
  const addresses = async (
    ...given: Parameters<typeof projectMaster> extends [unknown, ...infer R] ? R : never
  ) => (await projectMaster(MASTER, ...given)).document?.addresses;
  const address = (path: string) => ({ address: `${path}/101`, rank: 0, support: 0 });

  it('are the catalogue artists, and the clusters that are exactly bound to one of them alone', async () => {
    const bridges = rowsOf(
      artistIdentityBridge,
      { ...authoritative, cluster_id: CLUSTER, catalog_artist_id: 11 },
      { ...authoritative, cluster_id: OTHER_CLUSTER, catalog_artist_id: 12 },
    );
    expect(await addresses(filedUnder(12, 11, 12), bridges)).toEqual([
      address('catalog-artist:12'),
      address(`artist:${OTHER_CLUSTER}`),
      address('catalog-artist:11'),
      address(`artist:${CLUSTER}`),
    ]);
  });

  it.each([
    ['not exact', { is_exact: false }],
    ['of an over-merged cluster', { catalog_artist_id_count: 2 }],
    ['that counts no catalogue artist', { catalog_artist_id_count: 0 }],
    ['of another catalogue artist', { catalog_artist_id: 13 }],
    ['without a catalogue artist', { catalog_artist_id: null }],
  ])('leave out a cluster whose bridge is %s, though it is the name cluster', async (_name, changed) => {
    const bridge = rowsOf(artistIdentityBridge, {
      ...authoritative,
      cluster_id: NAME_CLUSTER,
      catalog_artist_id: 11,
      ...changed,
    });
    expect(await addresses(filedUnder(11), bridge)).toEqual([address('catalog-artist:11')]);
  });

  it('are none where the catalogue files it under nobody', async () => {
    const bridge = rowsOf(artistIdentityBridge, { ...authoritative, cluster_id: NAME_CLUSTER });
    expect(await addresses(filedUnder(), bridge)).toEqual([]);
  });
});

describe('keys', () => {
  const masters = rowsOf(
    catalogMaster,
    { master_id: 101, catalog_artist_ids: [11, 12], artist_cluster_id: NAME_CLUSTER },
    { master_id: 102, catalog_artist_ids: [12], artist_cluster_id: null },
    { master_id: 103, catalog_artist_ids: [], artist_cluster_id: NAME_CLUSTER },
  );

  it.each<[SubjectRef, SubjectRef[]]>([
    ['catalog-artist:11', ['master:101']],
    ['catalog-artist:12', ['master:101', 'master:102']],
    [`artist:${NAME_CLUSTER}`, ['master:101', 'master:103']],
    ['catalog-artist:13', []],
    [`artist:${CLUSTER}`, []],
  ])('of an artist have no document and touch what names the artist: %s', async (key, touches) => {
    expect(await projectMaster(key, masters)).toEqual({ key, document: null, touches });
  });

  it('of a release group that the catalogue does not know have none either, whatever else tells of it', async () => {
    const others = [
      rowsOf(catalogMasterCube, { master_id: 104 }),
      rowsOf(masterPropagationTimelineCluster, { master_id: 104 }),
    ];
    const projected = await projectMaster('master:104', masters, ...others);
    expect(projected).toEqual({ key: 'master:104', document: null, touches: [] });
  });
});

it('reads twice, however many keys there are, and gives each its own', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const read = readerOf([
    rowsOf(
      catalogMaster,
      ...ids.map((id) => ({ master_id: id, title: `Title ${id}`, catalog_artist_ids: [id] })),
    ),
    rowsOf(catalogArtist, ...ids.map((id) => ({ catalog_artist_id: id, name: `Artist ${id}` }))),
  ]);
  let calls = 0;
  const counted: typeof read = (...asked) => {
    calls++;
    return read(...asked);
  };
  const keys = ids.map((id): SubjectRef => `master:${id}`);
  const together = await masterProjection.project(keys, counted, { idOf: () => 0 });
  expect(calls).toBe(2);
  for (const { key, document } of together) {
    const [alone] = await masterProjection.project([key], read, { idOf: () => 0 });
    expect(document?.hash.equals(alone?.document?.hash ?? Buffer.alloc(0)), key).toBe(true);
  }
  expect(new Set(together.map(({ document }) => document?.hash.toString('hex'))).size).toBe(ids.length);
});
