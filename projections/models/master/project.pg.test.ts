import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProducerChange } from '../../../test/support/history/history.ts';
import { deliveries, repeat } from '../../../test/support/ingest/delivery.ts';
import { type Documents, differingKeys, documentsOf } from '../../../test/support/projections/documents.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../../test/support/projections/served-version.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { drain } from '../../../workers/project/drain.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import { catalogMasterCube } from '../../contracts/catalog/master-cube.ts';
import type { Columns, RowOf } from '../../contracts/columns.ts';
import type { Source } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../contracts/seen/master-propagation-timeline-cluster.ts';
import { prepareSeal, sealFrame } from '../../engine/frame/frame.ts';
import { byLookupKey, dossierLookup } from '../../engine/read-dossiers.ts';
import { type Registry, registerSources } from '../../engine/registry.ts';
import { masterProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const NAME = 'c3'.repeat(32);

const write = <C extends Columns>(source: Source<C>, row: Partial<RowOf<C>>): ProducerChange => ({
  source,
  kind: 'write',
  row: rowsOf(source, row).rows[0] ?? {},
  unavailable: [],
});
const gone = (source: Source, row: ProducerChange['row']): ProducerChange => ({
  source,
  kind: 'delete',
  row,
  unavailable: [],
});

const bridge = (row: Partial<RowOf<typeof artistIdentityBridge.columns>>): ProducerChange =>
  write(artistIdentityBridge, { is_exact: true, catalog_artist_id_count: 1, ...row });
const cube = { master_id: 101, cube_quadrant: '110', owner_count: 20, dj_count: 2 };
const seen = { cluster_id: A, master_id: 101, channel: 'dj', observations: 4 } as const;

/** 101 and 102 have one artist each, 103 has both and the name of a third cluster. */
const world: readonly ProducerChange[] = [
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
  const byOwner = dossierLookup(pool, 'master-by-owner', byLookupKey('master'));
  let registry: Registry;
  let rowChanges: ProducerChange[] = [];
  let delivered = new Map<string, number>();

  beforeEach(async () => {
    await pool.query(`
      truncate ingest.mirror, ingest.link, ingest.position, projection.mark;
      update ingest.source set first_change_at = null, newest_change_at = null;`);
    registry = await registerSources(pool);
    rowChanges = [];
    delivered = new Map();
    await deliver(...world);
    await rebuild(pool, masterProjection, registry);
  });

  afterEach(async () => {
    const streamed = await documents();
    await rebuild(pool, masterProjection, registry);
    expect(differingKeys(await documents(), streamed)).toEqual([]);
  });

  /** Delivers the changes after all earlier ones. */
  async function deliver(...changes: ProducerChange[]): Promise<void> {
    rowChanges.push(...changes);
    for (const { topic, batches } of deliveries(rowChanges, repeat(1), registry)) {
      const from = delivered.get(topic) ?? 0;
      const records = batches.flatMap((batch) => batch.records).slice(from);
      if (records.length === 0) continue;
      delivered.set(topic, from + records.length);
      const topicPartition = { group: 'test', topic, partition: 0 };
      await ingestBatch(pool, registry, {
        topicPartition,
        records,
        from: from === 0 ? null : from,
        to: from + records.length,
      });
    }
  }

  async function documents(): Promise<Documents> {
    const version = await servedVersion(pool, 'master');
    return documentsOf(pool, version);
  }

  /** The documents that the changes rewrite, each with different content. */
  async function rewrittenBy(...changes: ProducerChange[]): Promise<string[]> {
    const before = await documents();
    await deliver(...changes);
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

  it('renames an artist, and removes it', async () => {
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

  it('turns the cluster that gives a release group its bind and name into an over-merge', async () => {
    const merged = bridge({ cluster_id: A, catalog_artist_id: 11, catalog_artist_id_count: 2 });
    expect(await rewrittenBy(merged)).toEqual(['master:101', 'master:103']);
    expect(await masterUnder(`artist:${A}`, 101)).toBeNull();
    expect((await masterUnder('catalog-artist:11', 101)).binding).toEqual({ observed: true });
    expect((await masterUnder('catalog-artist:11', 103)).binding).toEqual({ observed: false });
  });

  it('turns the cluster that gives it only its name into an over-merge, and undoes that', async () => {
    const named = (count: number) =>
      bridge({ cluster_id: NAME, catalog_artist_id: 99, catalog_artist_id_count: count });
    const observed = async () => (await masterUnder('catalog-artist:11', 103)).binding.observed;
    expect(await rewrittenBy(named(2))).toEqual(['master:103']);
    expect(await observed()).toBe(true);
    expect(await rewrittenBy(named(1))).toEqual(['master:103']);
    expect(await observed()).toBe(false);
  });

  it('rewrites only the release group that it files under another artist', async () => {
    const moved = write(catalogMaster, { master_id: 101, catalog_artist_ids: [12], artist_cluster_id: A });
    expect(await rewrittenBy(moved)).toEqual(['master:101']);
    for (const owner of ['catalog-artist:11', `artist:${A}`])
      expect(await masterUnder(owner, 101)).toBeNull();
    for (const owner of ['catalog-artist:12', `artist:${B}`])
      expect(await masterUnder(owner, 101)).not.toBeNull();
    const renamed = write(catalogArtist, { catalog_artist_id: 11, name: 'Omega' });
    expect(await rewrittenBy(renamed)).toEqual(['master:103']);
  });

  it('updates a release group with the rows of its sources, and removes it with its own row', async () => {
    const heard = write(masterPropagationTimelineCluster, { ...seen, channel: 'radio', cluster_id: B });
    expect(await rewrittenBy(heard)).toEqual(['master:101']);
    expect((await masterUnder('catalog-artist:11', 101)).propagation).toHaveLength(2);
    expect(await rewrittenBy(write(catalogMasterCube, { ...cube, dj_count: 3 }))).toEqual(['master:101']);
    expect((await masterUnder('catalog-artist:11', 101)).cube.djCount).toBe(3);
    expect(await rewrittenBy(gone(catalogMaster, { master_id: 101 }))).toEqual(['master:101']);
    expect(await masterUnder('catalog-artist:11', 101)).toBeNull();
  });

  it('of the number of owners changes only the refresh time of the cube', async () => {
    const before = await masterUnder('catalog-artist:11', 101);
    expect(await rewrittenBy(write(catalogMasterCube, { ...cube, owner_count: 21 }))).toEqual(['master:101']);
    const after = await masterUnder('catalog-artist:11', 101);
    const refreshed = after.provenance[4].refreshedAt;
    expect(refreshed).not.toBe(before.provenance[4].refreshedAt);
    const provenance = before.provenance.with(4, { ...before.provenance[4], refreshedAt: refreshed });
    expect(after).toEqual({ ...before, provenance });
  });

  it('with the same row under a newer version rewrites nothing', async () => {
    expect(await rewrittenBy(...world)).toEqual([]);
  });
});
