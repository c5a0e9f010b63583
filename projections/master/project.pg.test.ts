import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliveries } from '../../test/delivery.ts';
import { type Documents, differingKeys, documentsOf } from '../../test/documents.ts';
import type { Deed } from '../../test/history/history.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { ingestBatch } from '../../workers/ingest/ingest-batch.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { drain } from '../../workers/project/drain.ts';
import { prepareSeal, sealFrame } from '../frame/frame.ts';
import { byAddress, dossierLookup } from '../read-dossiers.ts';
import { type Registry, registerSources } from '../registry.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { catalogMaster } from '../sources/catalog/master.ts';
import { catalogMasterCube } from '../sources/catalog/master-cube.ts';
import type { Columns, RowOf } from '../sources/columns.ts';
import type { Source } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../sources/seen/master-propagation-timeline-cluster.ts';
import { liveVersion } from '../store/version.ts';
import { masterProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const NAME = 'c3'.repeat(32);

const write = <C extends Columns>(source: Source<C>, row: Partial<RowOf<C>>): Deed => ({
  source,
  kind: 'write',
  row: rowsOf(source, row).rows[0] ?? {},
  unavailable: [],
});
const gone = (source: Source, row: Deed['row']): Deed => ({ source, kind: 'delete', row, unavailable: [] });

const bridge = (row: Partial<RowOf<typeof artistIdentityBridge.columns>>): Deed =>
  write(artistIdentityBridge, { is_exact: true, catalog_artist_id_count: 1, ...row });
const cube = { master_id: 101, cube_quadrant: '110', owner_count: 20, dj_count: 2 };
const seen = { cluster_id: A, master_id: 101, channel: 'dj', observations: 4 } as const;

/** 101 and 102 have an artist each, 103 has both; 103 bears the name of a cluster that is neither. */
const world: readonly Deed[] = [
  write(catalogArtist, { catalog_artist_id: 11, name: 'Alpha' }),
  write(catalogArtist, { catalog_artist_id: 12, name: 'Beta' }),
  bridge({ cluster_id: A, catalog_artist_id: 11 }),
  bridge({ cluster_id: B, catalog_artist_id: 12 }),
  bridge({ cluster_id: NAME, catalog_artist_id: null }),
  write(catalogMaster, { master_id: 101, catalog_artist_ids: [11], artist_cluster_id: A }),
  write(catalogMaster, { master_id: 102, catalog_artist_ids: [12], artist_cluster_id: null }),
  write(catalogMaster, { master_id: 103, catalog_artist_ids: [11, 12], artist_cluster_id: NAME }),
  write(catalogMasterCube, cube),
  write(masterPropagationTimelineCluster, seen),
];

describe('a streamed change', () => {
  const { pool } = withDatabase();
  const byOwner = dossierLookup(pool, 'master-by-owner', byAddress('master'));
  let registry: Registry;
  let deeds: Deed[] = [];
  let told = new Map<string, number>();

  beforeEach(async () => {
    await pool.query(`
      truncate ingest.mirror, ingest.link, ingest.position, projection.mark;
      update ingest.source set first_change_at = null, newest_change_at = null;`);
    registry = await registerSources(pool);
    deeds = [];
    told = new Map();
    await tell(...world);
    await rebuild(pool, masterProjection, registry);
  });

  afterEach(async () => {
    const streamed = await documents();
    await rebuild(pool, masterProjection, registry);
    expect(differingKeys(await documents(), streamed)).toEqual([]);
  });

  /** Delivers the deeds behind all that came before. */
  async function tell(...news: Deed[]): Promise<void> {
    deeds.push(...news);
    for (const { topic, batches } of deliveries(deeds, ones(), registry)) {
      const from = told.get(topic) ?? 0;
      const records = batches.flatMap((batch) => batch.records).slice(from);
      if (records.length === 0) continue;
      told.set(topic, from + records.length);
      const place = { group: 'test', topic, partition: 0 };
      await ingestBatch(pool, registry, place, records, from === 0 ? null : from, from + records.length);
    }
  }

  async function documents(): Promise<Documents> {
    const version = await liveVersion(pool, 'master');
    if (version === null) throw new Error('nothing is live');
    return documentsOf(pool, version);
  }

  /** The documents that the deeds rewrite, each of which has to be another one then. */
  async function rewrittenBy(...news: Deed[]): Promise<string[]> {
    const before = await documents();
    await tell(...news);
    const { changed, removed } = await drain(pool, registry);
    const keys = differingKeys(await documents(), before);
    expect(changed + removed).toBe(keys.length);
    return keys;
  }

  async function masterUnder(owner: string, id: number) {
    const stored = await byOwner.dossier(`${owner}/${id}`);
    if (stored === null) return null;
    const sealed = sealFrame(
      stored.frame,
      prepareSeal('2026-01-01T00:00:00Z', () => false),
    );
    return JSON.parse(gunzipSync(sealed).toString()).master;
  }

  it('moves a bind from one cluster to another', async () => {
    expect(await masterUnder(`artist:${A}`, 101)).not.toBeNull();
    expect(await rewrittenBy(bridge({ cluster_id: A, catalog_artist_id: null }))).toEqual([
      'master:101',
      'master:103',
    ]);
    expect(await masterUnder(`artist:${A}`, 101)).toBeNull();
    expect((await masterUnder('catalog-artist:11', 101)).header.artists[0].clusterId).toBeNull();
    expect(await rewrittenBy(bridge({ cluster_id: NAME, catalog_artist_id: 11 }))).toEqual([
      'master:101',
      'master:103',
    ]);
    expect((await masterUnder(`artist:${NAME}`, 101)).header.artists[0].clusterId).toBe(NAME);
    expect(await masterUnder(`artist:${NAME}`, 103)).not.toBeNull();
  });

  it('moves a bind from one catalogue artist to another', async () => {
    const rewritten = await rewrittenBy(bridge({ cluster_id: A, catalog_artist_id: 12 }));
    expect(rewritten).toEqual(['master:101', 'master:102', 'master:103']);
    expect(await masterUnder(`artist:${A}`, 101)).toBeNull();
    expect(await masterUnder(`artist:${A}`, 102)).not.toBeNull();
  });

  it('renames an artist, and takes it away', async () => {
    const renamed = write(catalogArtist, { catalog_artist_id: 12, name: 'Gamma' });
    expect(await rewrittenBy(renamed)).toEqual(['master:102', 'master:103']);
    const nameOf = async () => (await masterUnder('catalog-artist:11', 103)).header.artists[1].name;
    expect(await nameOf()).toBe('Gamma');
    expect(await rewrittenBy(gone(catalogArtist, { catalog_artist_id: 12 }))).toEqual([
      'master:102',
      'master:103',
    ]);
    expect(await nameOf()).toBeNull();
  });

  it('makes an over-merge of the cluster that a release group has its bind and its name by', async () => {
    const merged = bridge({ cluster_id: A, catalog_artist_id: 11, catalog_artist_id_count: 2 });
    expect(await rewrittenBy(merged)).toEqual(['master:101', 'master:103']);
    expect(await masterUnder(`artist:${A}`, 101)).toBeNull();
    expect((await masterUnder('catalog-artist:11', 101)).binding).toEqual({ observed: true });
    expect((await masterUnder('catalog-artist:11', 103)).binding).toEqual({ observed: false });
  });

  it('makes an over-merge of a cluster that it has its name alone by, and undoes it', async () => {
    const named = (count: number) =>
      bridge({ cluster_id: NAME, catalog_artist_id: 99, catalog_artist_id_count: count });
    const observed = async () => (await masterUnder('catalog-artist:11', 103)).binding.observed;
    expect(await rewrittenBy(named(2))).toEqual(['master:103']);
    expect(await observed()).toBe(true);
    expect(await rewrittenBy(named(1))).toEqual(['master:103']);
    expect(await observed()).toBe(false);
  });

  it('files a release group under another artist, and that document alone', async () => {
    const moved = write(catalogMaster, { master_id: 101, catalog_artist_ids: [12], artist_cluster_id: A });
    expect(await rewrittenBy(moved)).toEqual(['master:101']);
    for (const owner of ['catalog-artist:11', `artist:${A}`])
      expect(await masterUnder(owner, 101)).toBeNull();
    for (const owner of ['catalog-artist:12', `artist:${B}`])
      expect(await masterUnder(owner, 101)).not.toBeNull();
    const renamed = write(catalogArtist, { catalog_artist_id: 11, name: 'Omega' });
    expect(await rewrittenBy(renamed)).toEqual(['master:103']);
  });

  it('tells of a release group what its own sources say, and takes it away with its row', async () => {
    const heard = write(masterPropagationTimelineCluster, { ...seen, channel: 'radio', cluster_id: B });
    expect(await rewrittenBy(heard)).toEqual(['master:101']);
    expect((await masterUnder('catalog-artist:11', 101)).propagation).toHaveLength(2);
    expect(await rewrittenBy(write(catalogMasterCube, { ...cube, dj_count: 3 }))).toEqual(['master:101']);
    expect((await masterUnder('catalog-artist:11', 101)).cube.djCount).toBe(3);
    expect(await rewrittenBy(gone(catalogMaster, { master_id: 101 }))).toEqual(['master:101']);
    expect(await masterUnder('catalog-artist:11', 101)).toBeNull();
  });

  it('of the number of owners tells that the cube was refreshed, and nothing else', async () => {
    const before = await masterUnder('catalog-artist:11', 101);
    expect(await rewrittenBy(write(catalogMasterCube, { ...cube, owner_count: 21 }))).toEqual(['master:101']);
    const after = await masterUnder('catalog-artist:11', 101);
    const refreshed = after.provenance[3].refreshedAt;
    expect(refreshed).not.toBe(before.provenance[3].refreshedAt);
    const provenance = before.provenance.with(3, { ...before.provenance[3], refreshedAt: refreshed });
    expect(after).toEqual({ ...before, provenance });
  });

  it('that says the same again under a newer version rewrites nothing', async () => {
    expect(await rewrittenBy(...world)).toEqual([]);
  });
});

function* ones(): Generator<number> {
  for (;;) yield 1;
}
