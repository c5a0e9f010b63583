import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { differingKeys, documentsOf } from '../../test/documents.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { decodeRecord, type IncomingRecord } from '../../workers/ingest/decode/envelope.ts';
import { ingestBatch } from '../../workers/ingest/ingest-batch.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { type DrainTotals, drain } from '../../workers/project/drain.ts';
import { type Registry, registerSources } from '../registry.ts';
import type { Columns, RowOf } from '../sources/columns.ts';
import type { Source } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { storefrontItem } from '../sources/storefront/item.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { addressTable, documentTable, liveVersion, type Version } from '../store/version.ts';
import { storefrontReleaseProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const START_MS = Date.UTC(2026, 0, 1);

/** Each test goes on from where the one before it ended. */
describe('releases as changes come in', () => {
  const { pool } = withDatabase();
  let registry: Registry;
  let position = 0;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await rebuild(pool, storefrontReleaseProjection, registry);
    const exact = { catalog_artist_id_count: 1, is_exact: false, confidence: 0.5 };
    await change(storefrontItem, { item_id: 'a', cluster_id: A }, { item_id: 'b', cluster_id: B });
    await change(
      artistIdentityBridge,
      { ...exact, cluster_id: A, catalog_artist_id: 7 },
      { ...exact, cluster_id: B, catalog_artist_id: null },
    );
    await drain(pool, registry);
  });

  afterEach(async () => {
    const streamed = await documentsOf(pool, await live());
    const rebuilt = await rebuild(pool, storefrontReleaseProjection, registry);
    expect(differingKeys(await documentsOf(pool, rebuilt), streamed)).toEqual([]);
  });

  const change = <C extends Columns>(source: Source<C>, ...rows: Partial<RowOf<C>>[]): Promise<void> =>
    ingest(
      source,
      'u',
      rows.map((row) => rowsOf(source, row).rows[0] ?? {}),
    );
  const remove = <C extends Columns>(source: Source<C>, key: Partial<RowOf<C>>): Promise<void> =>
    ingest(source, 'd', [key]);

  async function ingest(
    source: Source,
    op: 'u' | 'd',
    rows: readonly Readonly<Record<string, unknown>>[],
  ): Promise<void> {
    const [schema, table] = source.table.split('.');
    const topic = `producers.${source.table}`;
    const records = rows.map((row) => {
      const offset = position++;
      const timeMs = START_MS + offset * 1_000;
      const key = Object.fromEntries(source.key.map((name) => [name, row[name]]));
      const origin = { schema, table, ts_ms: timeMs, lsn: offset + 1 };
      const value = { before: null, after: op === 'u' ? row : null, source: origin, op, ts_ms: timeMs };
      const record: IncomingRecord = {
        topic,
        offset,
        key: JSON.stringify(key),
        value: JSON.stringify(op === 'd' ? { ...value, before: key } : value),
        headers: {},
        timestamp: timeMs,
      };
      return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
    });
    const place = { group: `change ${position}`, topic, partition: 0 };
    const { deadLetters } = await ingestBatch(pool, registry, place, records, null, position);
    expect(deadLetters).toBe(0);
  }

  async function live(): Promise<Version> {
    const version = await liveVersion(pool, 'storefront-release');
    if (version === null) throw new Error('no version is live');
    return version;
  }

  async function addresses(): Promise<Record<string, string[]>> {
    const { rows } = await pool.query<{ key: string; all: string[] }>(
      `select key, coalesce(array_agg(address order by address) filter (where address is not null), '{}') as all
       from ${documentTable(await live())} left join ${addressTable(await live())} on document = id
       group by key order by key`,
    );
    return Object.fromEntries(rows.map(({ key, all }) => [key, all]));
  }

  const written = async (): Promise<Pick<DrainTotals, 'changed' | 'removed'>> => {
    const { changed, removed } = await drain(pool, registry);
    return { changed, removed };
  };

  it('has the address of the catalogue artist who is bound to its cluster', async () => {
    expect(await addresses()).toEqual({
      'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:7/a'],
      'storefront-item:b': [`artist:${B}/b`],
    });
  });

  it('hands the address over when another cluster has the better claim', async () => {
    const better = { catalog_artist_id: 7, catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...better, cluster_id: B });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    expect(await addresses()).toEqual({
      'storefront-item:a': [`artist:${A}/a`],
      'storefront-item:b': [`artist:${B}/b`, 'catalog-artist:7/b'],
    });
  });

  it('gets the address back when that claim is gone, though its own bridge did not change', async () => {
    await remove(artistIdentityBridge, { cluster_id: B });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    expect(await addresses()).toEqual({
      'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:7/a'],
      'storefront-item:b': [`artist:${B}/b`],
    });
  });

  it('moves with a bind that one bridge gives up and another takes on', async () => {
    const bind = { catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...bind, cluster_id: A, catalog_artist_id: null });
    await change(artistIdentityBridge, { ...bind, cluster_id: B, catalog_artist_id: 7 });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    expect(await addresses()).toEqual({
      'storefront-item:a': [`artist:${A}/a`],
      'storefront-item:b': [`artist:${B}/b`, 'catalog-artist:7/b'],
    });
  });

  it('follows a bridge that names another catalogue artist', async () => {
    const bind = { cluster_id: B, catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...bind, catalog_artist_id: 8 });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    expect((await addresses())['storefront-item:b']).toEqual([`artist:${B}/b`, 'catalog-artist:8/b']);
  });

  it('is not written anew for a bridge that binds as before', async () => {
    const bind = { cluster_id: B, catalog_artist_id: 8, catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...bind, confidence: 0.25 });
    expect(await written()).toEqual({ changed: 0, removed: 0 });
  });

  it('loses the address to an over-merge', async () => {
    await change(artistIdentityBridge, { cluster_id: B, catalog_artist_id: 8, catalog_artist_id_count: 2 });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    expect((await addresses())['storefront-item:b']).toEqual([`artist:${B}/b`]);
  });

  it('takes on the addresses of the cluster it is moved to', async () => {
    const bind = { cluster_id: A, catalog_artist_id: 9, catalog_artist_id_count: 1 };
    await change(artistIdentityBridge, bind);
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    await change(storefrontItem, { item_id: 'b', cluster_id: A });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    expect(await addresses()).toEqual({
      'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:9/a'],
      'storefront-item:b': [`artist:${A}/b`, 'catalog-artist:9/b'],
    });
  });

  it('is written for its own tracks alone, and for the first there ever were with all others', async () => {
    await change(storefrontTrack, { item_id: 'b', track_no: 1, cluster_id: A });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    await change(storefrontTrack, { item_id: 'b', track_no: 2, cluster_id: A });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    await remove(storefrontTrack, { item_id: 'b', track_no: 1 });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
  });

  it('goes with its item, addresses and all', async () => {
    await remove(storefrontItem, { item_id: 'b' });
    expect(await written()).toEqual({ changed: 0, removed: 1 });
    expect(await addresses()).toEqual({ 'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:9/a'] });
  });
});
