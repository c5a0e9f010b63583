import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { differingKeys, documentsOf } from '../../../test/support/projections/documents.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../../test/support/projections/served-version.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { decodeRecord, type IncomingRecord } from '../../../workers/ingest/decode/envelope.ts';
import { type DrainTotals, drain } from '../../../workers/project/drain.ts';
import type { Columns, RowOf } from '../../contracts/columns.ts';
import type { Source } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { type Registry, registerSources } from '../../engine/registry.ts';
import { documentTable, lookupTable } from '../../engine/store/version.ts';
import { storefrontReleaseProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const START_MS = Date.UTC(2026, 0, 1);

/** Each test continues from the end of the one before. */
describe('a streamed release', () => {
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
    const topicPartition = { group: `change ${position}`, topic, partition: 0 };
    const { deadLetters } = await ingestBatch(pool, registry, {
      topicPartition,
      records,
      from: null,
      to: position,
    });
    expect(deadLetters).toBe(0);
  }

  const live = () => servedVersion(pool, 'storefront-release');

  async function lookupKeys(): Promise<Record<string, string[]>> {
    const { rows } = await pool.query<{ key: string; all: string[] }>(
      `select key, coalesce(array_agg(address order by address) filter (where address is not null), '{}') as all
       from ${documentTable(await live())} left join ${lookupTable(await live())} on document = id
       group by key order by key`,
    );
    return Object.fromEntries(rows.map(({ key, all }) => [key, all]));
  }

  const written = async (): Promise<Pick<DrainTotals, 'changed' | 'removed'>> => {
    const { changed, removed } = await drain(pool, registry);
    return { changed, removed };
  };

  it('has the lookup key of the catalogue artist bound to its cluster', async () => {
    expect(await lookupKeys()).toEqual({
      'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:7/a'],
      'storefront-item:b': [`artist:${B}/b`],
    });
  });

  it('loses the lookup key when another cluster takes precedence', async () => {
    const better = { catalog_artist_id: 7, catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...better, cluster_id: B });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    expect(await lookupKeys()).toEqual({
      'storefront-item:a': [`artist:${A}/a`],
      'storefront-item:b': [`artist:${B}/b`, 'catalog-artist:7/b'],
    });
  });

  it('regains the lookup key when the other candidate is gone, without a change of its own bridge', async () => {
    await remove(artistIdentityBridge, { cluster_id: B });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    expect(await lookupKeys()).toEqual({
      'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:7/a'],
      'storefront-item:b': [`artist:${B}/b`],
    });
  });

  it('moves with a bind from one bridge to another', async () => {
    const bind = { catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...bind, cluster_id: A, catalog_artist_id: null });
    await change(artistIdentityBridge, { ...bind, cluster_id: B, catalog_artist_id: 7 });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    expect(await lookupKeys()).toEqual({
      'storefront-item:a': [`artist:${A}/a`],
      'storefront-item:b': [`artist:${B}/b`, 'catalog-artist:7/b'],
    });
  });

  it('follows a bridge that names another catalogue artist', async () => {
    const bind = { cluster_id: B, catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...bind, catalog_artist_id: 8 });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    expect((await lookupKeys())['storefront-item:b']).toEqual([`artist:${B}/b`, 'catalog-artist:8/b']);
  });

  it('is not rewritten if the bind stays the same', async () => {
    const bind = { cluster_id: B, catalog_artist_id: 8, catalog_artist_id_count: 1, is_exact: true };
    await change(artistIdentityBridge, { ...bind, confidence: 0.25 });
    expect(await written()).toEqual({ changed: 0, removed: 0 });
  });

  it('loses the lookup key to an over-merge', async () => {
    await change(artistIdentityBridge, { cluster_id: B, catalog_artist_id: 8, catalog_artist_id_count: 2 });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    expect((await lookupKeys())['storefront-item:b']).toEqual([`artist:${B}/b`]);
  });

  it('gets the lookup keys of the cluster it moves to', async () => {
    const bind = { cluster_id: A, catalog_artist_id: 9, catalog_artist_id_count: 1 };
    await change(artistIdentityBridge, bind);
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    await change(storefrontItem, { item_id: 'b', cluster_id: A });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    expect(await lookupKeys()).toEqual({
      'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:9/a'],
      'storefront-item:b': [`artist:${A}/b`, 'catalog-artist:9/b'],
    });
  });

  it('is rewritten for its own tracks, and with all others for the first tracks ever', async () => {
    await change(storefrontTrack, { item_id: 'b', track_no: 1, cluster_id: A });
    expect(await written()).toEqual({ changed: 2, removed: 0 });
    await change(storefrontTrack, { item_id: 'b', track_no: 2, cluster_id: A });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
    await remove(storefrontTrack, { item_id: 'b', track_no: 1 });
    expect(await written()).toEqual({ changed: 1, removed: 0 });
  });

  it('is removed with its item, lookup keys included', async () => {
    await remove(storefrontItem, { item_id: 'b' });
    expect(await written()).toEqual({ changed: 0, removed: 1 });
    expect(await lookupKeys()).toEqual({ 'storefront-item:a': [`artist:${A}/a`, 'catalog-artist:9/a'] });
  });
});
