import { describe, expect, it } from 'vitest';
import { MASTER, MASTER_ID, masterRow, readRowsFrom } from '../../../test/support/rows/master.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { catalogMasterCube } from '../../contracts/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import type { SearchDocument } from './document.ts';
import { searchProjection } from './project.ts';

async function project(...given: readonly SourceRows[]): Promise<SearchDocument | null> {
  const [projected] = await searchProjection.project([MASTER], readRowsFrom(given), { idOf: () => 0 });
  const body = projected?.document?.body();
  return body === undefined ? null : JSON.parse(body.toString());
}

const exact = { catalog_artist_id: 11, catalog_artist_id_count: 1, is_exact: true, confidence: 0.5 };
const clusterOf = async (...given: readonly SourceRows[]) => (await project(...given))?.row.artist_cluster_id;

describe('the document of a release group', () => {
  it('has all fields of a result, and its words and filter values', async () => {
    const document = await project(
      masterRow({
        title: 'AC/DC Live',
        artist_display: 'Ke$ha',
        year: 1992,
        genres: ['Rock'],
        styles: ['Hard Rock'],
        formats: ['LP', 'CD'],
        country: 'AU',
        labels: ['Atco'],
      }),
      rowsOf(catalogMasterCube, {
        master_id: MASTER_ID,
        cube_quadrant: '110',
        owner_count: 7,
        dj_count: 0,
        critic_count: null,
      }),
      rowsOf(artistIdentityBridge, { ...exact, cluster_id: CLUSTER }),
    );
    expect(document).toEqual({
      row: {
        master_id: MASTER_ID,
        title: 'AC/DC Live',
        artist: 'Ke$ha',
        year: 1992,
        cube_quadrant: '110',
        owner_count: 7,
        dj_count: 0,
        critic_count: null,
        formats: ['LP', 'CD'],
        artist_cluster_id: CLUSTER,
      },
      genres: ['Rock'],
      styles: ['Hard Rock'],
      country: 'AU',
      labels: ['Atco'],
      title: { words: 'ac dc live', further: 'acdc' },
      artist: { words: 'ke ha', further: 'keha kesha' },
    });
  });

  it('has no numbers without a cube row, and no malformed quadrant', async () => {
    expect((await project(masterRow()))?.row).toMatchObject({
      cube_quadrant: null,
      owner_count: null,
      dj_count: null,
      critic_count: null,
    });
    const odd = rowsOf(catalogMasterCube, { master_id: MASTER_ID, cube_quadrant: '12' });
    expect((await project(masterRow(), odd))?.row.cube_quadrant).toBeNull();
  });

  it('is null if the catalogue has no row', async () => {
    expect(await project(rowsOf(catalogMasterCube, { master_id: MASTER_ID }))).toBeNull();
  });
});

describe('the cluster of its artist', () => {
  it('is the surest exact bind of that artist alone, the least of equal ones', async () => {
    const surest = rowsOf(
      artistIdentityBridge,
      { ...exact, cluster_id: CLUSTER },
      { ...exact, cluster_id: OTHER_CLUSTER, confidence: 0.9 },
    );
    expect(await clusterOf(masterRow(), surest)).toBe(OTHER_CLUSTER);
    const equal = rowsOf(
      artistIdentityBridge,
      { ...exact, cluster_id: CLUSTER },
      { ...exact, cluster_id: OTHER_CLUSTER },
    );
    expect(await clusterOf(masterRow(), equal)).toBe(OTHER_CLUSTER);
  });

  it.each([
    ['an inexact bind', { is_exact: false }],
    ['an over-merged cluster', { catalog_artist_id_count: 2 }],
    ['a bind to no artist', { catalog_artist_id_count: 0 }],
    ['a bind to another artist', { catalog_artist_id: 12 }],
  ])('is null for %s', async (_what, bridge) => {
    const rows = rowsOf(artistIdentityBridge, { ...exact, ...bridge, cluster_id: CLUSTER });
    expect(await clusterOf(masterRow(), rows)).toBeNull();
  });

  it('is null if several artists are credited, or none', async () => {
    const rows = rowsOf(artistIdentityBridge, { ...exact, cluster_id: CLUSTER });
    expect(await clusterOf(masterRow({ catalog_artist_ids: [11, 12] }), rows)).toBeNull();
    expect(await clusterOf(masterRow({ catalog_artist_ids: [] }), rows)).toBeNull();
    expect(await clusterOf(masterRow({ catalog_artist_ids: [11, 11] }), rows)).toBe(CLUSTER);
  });

  it('is not the name cluster of the catalogue', async () => {
    expect(await clusterOf(masterRow({ artist_cluster_id: CLUSTER }))).toBeNull();
  });
});

it('has the release groups of an artist as dependents when its bind changes', async () => {
  const rows = [masterRow(), rowsOf(artistIdentityBridge, { ...exact, cluster_id: CLUSTER })];
  const projected = await searchProjection.project(
    ['catalog-artist:11', 'catalog-artist:12'],
    readRowsFrom(rows),
    {
      idOf: () => 0,
    },
  );
  expect(projected).toEqual([
    { key: 'catalog-artist:11', document: null, dependents: [MASTER] },
    { key: 'catalog-artist:12', document: null, dependents: [] },
  ]);
});
