import { describe, expect, it } from 'vitest';
import { MASTER_ID, masterOf, masterRow } from '../../../../test/support/rows/master.ts';
import {
  CLUSTER,
  OTHER_CLUSTER,
  rowsOf,
  type SourceRows,
} from '../../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../../contracts/catalog/artist.ts';
import { catalogMasterCube } from '../../../contracts/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../../contracts/seen/master-propagation-timeline-cluster.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const cube = rowsOf(catalogMasterCube, { master_id: MASTER_ID });
const seen = rowsOf(masterPropagationTimelineCluster, { master_id: MASTER_ID });

describe('provenance', () => {
  const BRIDGE = 'seen.artist_identity_bridge';
  const HEADER = ['catalog.master', 'catalog.artist', BRIDGE];
  const TIMELINE = 'seen.master_propagation_timeline_cluster';
  const entriesOf = async (...given: SourceRows[]) => {
    const { provenance } = await masterOf(...given);
    return provenance.map((entry: Record<string, unknown>) => [
      entry.sourceTable,
      entry.honestGapState,
      entry.refreshedAt,
    ]);
  };
  const AT = '2019-06-30T12:00:00Z';

  it('gives the provenance of each section, present if its source has a row', async () => {
    const entries = await entriesOf(
      masterRow({ rg_mbid: MBID, tracklist: [{ title: 'T' }] }),
      rowsOf(catalogArtist, { catalog_artist_id: 11 }),
      rowsOf(artistIdentityBridge, { catalog_artist_id: 11 }),
      cube,
      seen,
    );
    expect(entries).toEqual([
      ...HEADER.map((table) => [table, 'present', AT]),
      [BRIDGE, 'honest_gap', null],
      ['catalog.master_cube', 'present', AT],
      ['catalog.master', 'present', AT],
      [TIMELINE, 'present', AT],
      ['catalog.master', 'present', AT],
    ]);
  });

  it('is empty if a source has no row of the release group, and a gap if it has never delivered', async () => {
    const silent = [rowsOf(catalogMasterCube), rowsOf(masterPropagationTimelineCluster)];
    const states = async (...given: SourceRows[]) =>
      (await entriesOf(masterRow(), ...given))
        .slice(HEADER.length)
        .map(([table, state]: string[]) => [table, state]);
    expect(await states(...silent)).toEqual([
      [BRIDGE, 'honest_gap'],
      ['catalog.master_cube', 'empty'],
      ['catalog.master', 'present'],
      [TIMELINE, 'empty'],
      ['catalog.master', 'present'],
    ]);
    expect(await states()).toEqual([
      [BRIDGE, 'honest_gap'],
      ['catalog.master_cube', 'honest_gap'],
      ['catalog.master', 'present'],
      [TIMELINE, 'honest_gap'],
      ['catalog.master', 'present'],
    ]);
  });

  it.each([
    ['110', null, null, 'djCount'],
    ['011', 0, null, 'djCount and criticCount'],
    ['001', null, 0, 'criticCount'],
    ['011', 2, 1, undefined],
    ['100', null, null, undefined],
    ['11', null, null, undefined],
  ])('explains a bit of the cube without a count: %s, %s and %s', async (quadrant, djs, critics, names) => {
    const row = { cube_quadrant: quadrant, owner_count: null, dj_count: djs, critic_count: critics };
    const { provenance } = await masterOf(
      masterRow(),
      rowsOf(catalogMasterCube, { master_id: MASTER_ID, ...row }),
    );
    const notes = provenance.flatMap(({ field, note }: Record<string, unknown>) =>
      note === undefined ? [] : [[field, note]],
    );
    const because = 'because the producer sets bits by more signals than it counts.';
    expect(notes).toEqual(
      names === undefined ? [] : [['cube', `quadrant has the bit of ${names} without a count, ${because}`]],
    );
  });

  it("takes the newest change among the release group's own artists", async () => {
    const [, artist, bridges] = await entriesOf(
      masterRow({ catalog_artist_ids: [11, 12] }),
      rowsOf(catalogArtist, { catalog_artist_id: 12 }, { catalog_artist_id: 11 }, { catalog_artist_id: 13 }),
      rowsOf(
        artistIdentityBridge,
        { cluster_id: OTHER_CLUSTER, catalog_artist_id: 13 },
        { cluster_id: CLUSTER, catalog_artist_id: 12 },
      ),
    );
    expect(artist).toEqual(['catalog.artist', 'present', '2019-06-30T12:00:01Z']);
    expect(bridges).toEqual(['seen.artist_identity_bridge', 'present', '2019-06-30T12:00:01Z']);
    const [, without] = await entriesOf(masterRow());
    expect(without).toEqual(['catalog.artist', 'honest_gap', null]);
  });

  it('has the bridge of the name cluster for the binding, and those of the artists for the header', async () => {
    const bridges = rowsOf(
      artistIdentityBridge,
      { cluster_id: CLUSTER, catalog_artist_id: 11 },
      { cluster_id: OTHER_CLUSTER, catalog_artist_id: 13 },
    );
    const { provenance } = await masterOf(masterRow({ artist_cluster_id: OTHER_CLUSTER }), bridges);
    const states = provenance.flatMap(({ field, sourceTable, refreshedAt }: Record<string, unknown>) =>
      sourceTable === BRIDGE ? [[field, refreshedAt]] : [],
    );
    expect(states).toEqual([
      ['header.artists', AT],
      ['binding', '2019-06-30T12:00:01Z'],
    ]);
  });
});
