import { describe, expect, it } from 'vitest';
import { MASTER, MASTER_ID, projectMaster, readRowsFrom } from '../../../test/support/rows/master.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import { catalogMasterCube } from '../../contracts/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../contracts/seen/master-propagation-timeline-cluster.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { masterProjection } from './project.ts';

const NAME_CLUSTER = 'a7'.repeat(32);
const filedUnder = (...ids: number[]) =>
  rowsOf(catalogMaster, {
    master_id: MASTER_ID,
    catalog_artist_ids: ids,
    artist_cluster_id: NAME_CLUSTER,
  });
const authoritative = { is_exact: true, catalog_artist_id_count: 1 };

describe('lookup keys', () => {
  const lookupKeys = async (
    ...given: Parameters<typeof projectMaster> extends [unknown, ...infer R] ? R : never
  ) => (await projectMaster(MASTER, ...given)).document?.lookupKeys;
  const lookupKey = (path: string) => ({ value: `${path}/101`, rank: 0, support: 0 });

  it('are the catalogue artists, and the clusters with an exact bind to one of them', async () => {
    const bridges = rowsOf(
      artistIdentityBridge,
      { ...authoritative, cluster_id: CLUSTER, catalog_artist_id: 11 },
      { ...authoritative, cluster_id: OTHER_CLUSTER, catalog_artist_id: 12 },
    );
    expect(await lookupKeys(filedUnder(12, 11, 12), bridges)).toEqual([
      lookupKey('catalog-artist:12'),
      lookupKey(`artist:${OTHER_CLUSTER}`),
      lookupKey('catalog-artist:11'),
      lookupKey(`artist:${CLUSTER}`),
    ]);
  });

  it.each([
    ['not exact', { is_exact: false }],
    ['of an over-merged cluster', { catalog_artist_id_count: 2 }],
    ['that counts no catalogue artist', { catalog_artist_id_count: 0 }],
    ['of another catalogue artist', { catalog_artist_id: 13 }],
    ['without a catalogue artist', { catalog_artist_id: null }],
  ])('omit a cluster whose bridge is %s, even if it is the name cluster', async (_name, changed) => {
    const bridge = rowsOf(artistIdentityBridge, {
      ...authoritative,
      cluster_id: NAME_CLUSTER,
      catalog_artist_id: 11,
      ...changed,
    });
    expect(await lookupKeys(filedUnder(11), bridge)).toEqual([lookupKey('catalog-artist:11')]);
  });

  it('are empty if the catalogue credits no artist', async () => {
    const bridge = rowsOf(artistIdentityBridge, { ...authoritative, cluster_id: NAME_CLUSTER });
    expect(await lookupKeys(filedUnder(), bridge)).toEqual([]);
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
  ])(
    "of an artist have no document and the artist's documents as dependents: %s",
    async (key, dependents) => {
      expect(await projectMaster(key, masters)).toEqual({ key, document: null, dependents });
    },
  );

  it('do not exist without a catalogue row, even if other sources have rows', async () => {
    const others = [
      rowsOf(catalogMasterCube, { master_id: 104 }),
      rowsOf(masterPropagationTimelineCluster, { master_id: 104 }),
    ];
    const projected = await projectMaster('master:104', masters, ...others);
    expect(projected).toEqual({ key: 'master:104', document: null, dependents: [] });
  });
});

it('reads twice for any number of keys, and returns each its own rows', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const read = readRowsFrom([
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
