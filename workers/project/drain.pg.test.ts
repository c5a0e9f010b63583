import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import { artistProjection } from '../../projections/artist/project.ts';
import { subjectRef } from '../../projections/projection.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { createVersion } from '../../projections/store/create-version.ts';
import { ALL_BUCKETS, BUCKETS, bucketOf, markDirty } from '../../projections/store/mark.ts';
import { countMarks, type Version, versionsOf } from '../../projections/store/version.ts';
import { artistKey, artistProducer, clusterOf, fillArtists } from '../../test/artists.ts';
import { differingKeys, documentsOf } from '../../test/documents.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { buildVersion, rebuild } from './build-version.ts';
import { drain } from './drain.ts';
import { drainBuckets } from './drain-buckets.ts';

describe('draining', () => {
  const { pool } = withDatabase();
  let registry: Registry;
  let producer: ReturnType<typeof artistProducer>;
  let live: Version;
  let revision = 0;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, 40);
    producer = artistProducer(pool, registry);
  });

  beforeEach(async () => {
    live = await rebuild(pool, artistProjection, registry);
  });

  it('keeps live, ready and previous versions of this code alike', async () => {
    await buildVersion(pool, artistProjection, registry, { promote: true });
    await buildVersion(pool, artistProjection, registry);
    const kept = await versionsOf(pool, 'artist');
    expect(kept.map(({ state }) => state)).toEqual(['previous', 'live', 'ready']);
    await producer.revise([1, 2, 3], ++revision);
    // What became of the live documents is told; the others are written with them.
    expect(await drain(pool, registry)).toEqual({ marks: 9, changed: 3, unchanged: 0, removed: 0 });
    const [first, ...others] = await Promise.all(kept.map((version) => documentsOf(pool, version)));
    for (const other of others) expect(differingKeys(other, first ?? new Map())).toEqual([]);
  });

  it('leaves versions of other code alone, whose marks gather', async () => {
    await buildVersion(pool, artistProjection, registry, { promote: true });
    await pool.query(`update projection.version set fingerprint = 'other' where id = $1`, [live.id]);
    const before = await documentsOf(pool, live);
    await producer.revise([1, 2, 3], ++revision);
    await producer.revise([3], ++revision);
    expect(await drain(pool, registry)).toMatchObject({ changed: 3 });
    expect(await countMarks(pool, live)).toBe(4);
    expect(differingKeys(await documentsOf(pool, live), before)).toEqual([]);
  });

  it('leaves a version alone while it is built', async () => {
    const building = await createVersion(pool, artistProjection, live.fingerprint);
    await producer.revise([5], ++revision);
    expect(await drain(pool, registry)).toMatchObject({ changed: 1 });
    expect(await countMarks(pool, building ?? live)).toBe(1);
  });

  it('marks documents of other code by what that code reads', async () => {
    await pool.query(
      `update projection.version set fingerprint = 'other', reads = '{"seen.artist_momentum": ["artist"]}' where id = $1`,
      [live.id],
    );
    await producer.revise([1, 2], ++revision);
    expect(await countMarks(pool, live)).toBe(0);
    await pool.query(
      `update projection.version set reads = '{"seen.performing_entity": ["artist"]}' where id = $1`,
      [live.id],
    );
    await producer.revise([1, 2], ++revision);
    expect(await countMarks(pool, live)).toBe(2);
  });

  it('does not wait for a bucket that somebody holds in another version than the first', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    await producer.revise([1, 2, 3], ++revision);
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock($1, $2 + bucket) from generate_series(0, $3 - 1) bucket', [
      LOCKS.bucket,
      version.id * BUCKETS,
      BUCKETS,
    ]);
    await drain(pool, registry);
    expect([await countMarks(pool, live), await countMarks(pool, version)]).toEqual([0, 3]);
    await holder.query('select pg_advisory_unlock_all()');
    holder.release();
    expect(await drain(pool, registry)).toMatchObject({ marks: 3 });
    expect(await countMarks(pool, version)).toBe(0);
    expect(differingKeys(await documentsOf(pool, version), await documentsOf(pool, live))).toEqual([]);
  });

  it('leaves aside what another version lags behind by, until that has its turn', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    await producer.revise([1, 2], ++revision);
    const backlog = new Set([3, 4, 5].map(artistKey));
    await transaction(pool, (client) => markDirty(client, [{ versions: [version], keys: backlog }]));
    const drained = await drainBuckets(pool, artistProjection, [live, version], ALL_BUCKETS, registry, {
      rows: 100,
      documents: 100,
    });
    expect(drained).toMatchObject({ marks: 4, changed: 2, unchanged: 0 });
    expect([await countMarks(pool, live), await countMarks(pool, version)]).toEqual([0, 3]);
    expect(differingKeys(await documentsOf(pool, version), await documentsOf(pool, live))).toEqual([]);
    expect(await drain(pool, registry)).toMatchObject({ marks: 3, changed: 0, unchanged: 3 });
  });

  it('dates what is touched by what touches it, not by the oldest mark that is taken with it', async () => {
    const numbers = [30, 31];
    const touched = numbers.map((number) => subjectRef('catalog-artist', number));
    expect(new Set(touched.map(bucketOf)).size).toBe(2);
    await fillMirror(pool, registry, [
      rowsOf(
        artistIdentityBridge,
        ...numbers.map((number) => ({ cluster_id: clusterOf(number), catalog_artist_id: number })),
      ),
    ]);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await transaction(pool, (client) =>
      markDirty(client, [{ versions: [live], keys: new Set(numbers.map(artistKey)) }], (key) =>
        key === artistKey(30) ? anHourAgo : null,
      ),
    );
    // Others hold the buckets of what is touched.
    const own = numbers.map((number) => bucketOf(artistKey(number)));
    expect(own).not.toContain(bucketOf(touched[0] ?? ''));
    expect(own).not.toContain(bucketOf(touched[1] ?? ''));
    await drainBuckets(pool, artistProjection, [live], own, registry, { rows: 100, documents: 100 });
    const { rows } = await pool.query(
      'select keys, marked_at = $1 as "isOld" from projection.mark order by keys',
      [anHourAgo],
    );
    expect(rows).toEqual([
      { keys: [touched[0]], isOld: true },
      { keys: [touched[1]], isOld: false },
    ]);
    await drain(pool, registry);
  });

  it('projects what a document touches with it, where nobody else may', async () => {
    const number = 32;
    const touched = subjectRef('catalog-artist', number);
    await fillMirror(pool, registry, [
      rowsOf(artistIdentityBridge, { cluster_id: clusterOf(number), catalog_artist_id: number }),
      rowsOf(catalogArtist, { catalog_artist_id: number, name: 'Bound', slug: 'bound' }),
    ]);
    const take = { rows: 100, documents: 100 };
    await transaction(pool, (client) =>
      markDirty(client, [{ versions: [live], keys: new Set([artistKey(number)]) }]),
    );
    expect(await drainBuckets(pool, artistProjection, [live], ALL_BUCKETS, registry, take)).toMatchObject({
      marks: 1,
      changed: 1,
      unchanged: 1,
    });
    expect(await countMarks(pool, live)).toBe(0);
    const streamed = await documentsOf(pool, live);
    expect(streamed.has(touched)).toBe(true);
    const rebuilt = await documentsOf(pool, await rebuild(pool, artistProjection, registry));
    expect(differingKeys(streamed, rebuilt)).toEqual([]);
  });

  it('projects a document once for all marks that have piled up', async () => {
    for (let count = 0; count < 5; count++) await producer.revise([1, 2], ++revision);
    expect(await drain(pool, registry)).toEqual({ marks: 10, changed: 2, unchanged: 0, removed: 0 });
    expect(await countMarks(pool, live)).toBe(0);
  });

  it('leaves buckets to the projector that holds them, and takes the others', async () => {
    await producer.revise([1, 2, 3, 4, 5, 6, 7, 8], ++revision);
    const { rows } = await pool.query<{ bucket: number; marks: number }>(
      `select bucket, sum(cardinality(keys))::int4 as marks from projection.mark
       where version = $1 group by bucket order by bucket`,
      [live.id],
    );
    const [held] = rows;
    if (held === undefined) throw new Error('nothing is marked');
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock($1, $2)', [LOCKS.bucket, live.id * BUCKETS + held.bucket]);
    expect(await drain(pool, registry)).toMatchObject({ marks: 8 - held.marks });
    expect(await countMarks(pool, live)).toBe(held.marks);
    holder.release(true);
    const left = async () => {
      await drain(pool, registry);
      return countMarks(pool, live);
    };
    await expect.poll(left, { timeout: 30_000 }).toBe(0);
  });
});
