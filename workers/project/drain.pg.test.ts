import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import { catalogArtist } from '../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/contracts/seen/artist-identity-bridge.ts';
import { subjectRef } from '../../projections/engine/projection.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { createVersion } from '../../projections/engine/store/create-version.ts';
import { ALL_BUCKETS, BUCKETS, bucketOf, markDirty } from '../../projections/engine/store/mark.ts';
import { countMarks, type Version, versionsOf } from '../../projections/engine/store/version.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import {
  artistProducer,
  clusterOf,
  fillArtists,
  testArtistKey,
} from '../../test/support/projections/artists.ts';
import { differingKeys, documentsOf } from '../../test/support/projections/documents.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { buildVersion } from './build-version.ts';
import { drain } from './drain.ts';
import { projectBatch } from './project-batch.ts';
import { endRequest, requestSwitch } from './switch-request.ts';

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

  it('keeps live, ready and previous versions of this code equal', async () => {
    await buildVersion(pool, artistProjection, registry, { promote: true });
    await buildVersion(pool, artistProjection, registry);
    const kept = await versionsOf(pool, 'artist');
    expect(kept.map(({ state }) => state)).toEqual(['previous', 'live', 'ready']);
    await producer.revise([1, 2, 3], ++revision);
    // Counts are those of the live version.
    expect(await drain(pool, registry)).toEqual({ marks: 9, changed: 3, unchanged: 0, removed: 0 });
    const [first, ...others] = await Promise.all(kept.map((version) => documentsOf(pool, version)));
    for (const other of others) expect(differingKeys(other, first ?? new Map())).toEqual([]);
  });

  it('skips versions of other code, whose marks accumulate', async () => {
    await buildVersion(pool, artistProjection, registry, { promote: true });
    await pool.query(`update projection.version set code_version = 'other' where id = $1`, [live.id]);
    const before = await documentsOf(pool, live);
    await producer.revise([1, 2, 3], ++revision);
    await producer.revise([3], ++revision);
    expect(await drain(pool, registry)).toMatchObject({ changed: 3 });
    expect(await countMarks(pool, live)).toBe(4);
    expect(differingKeys(await documentsOf(pool, live), before)).toEqual([]);
  });

  it('skips a version while it is built', async () => {
    const building = await createVersion(pool, artistProjection, { codeVersion: live.codeVersion });
    await producer.revise([5], ++revision);
    expect(await drain(pool, registry)).toMatchObject({ changed: 1 });
    expect(await countMarks(pool, building ?? live)).toBe(1);
  });

  it('marks documents of other code dirty by the sources that code reads', async () => {
    await pool.query(
      `update projection.version set code_version = 'other', reads = '{"seen.artist_momentum": ["artist"]}' where id = $1`,
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

  it('does not wait for a bucket that is locked in a version other than the first', async () => {
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

  it('writes the live version only together with one that is about to replace it', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    const request = await requestSwitch(pool, version);
    await producer.revise([1, 2, 3], ++revision);
    const project = (...versions: [Version, ...Version[]]) =>
      projectBatch(pool, { projection: artistProjection, versions, buckets: ALL_BUCKETS }, registry);
    expect(await project(live)).toMatchObject({ marks: 0 });
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock($1, $2 + bucket) from generate_series(0, $3 - 1) bucket', [
      LOCKS.bucket,
      version.id * BUCKETS,
      BUCKETS,
    ]);
    await drain(pool, registry);
    expect([await countMarks(pool, live), await countMarks(pool, version)]).toEqual([3, 3]);
    await holder.query('select pg_advisory_unlock_all()');
    holder.release();
    expect(await project(live, version)).toMatchObject({ marks: 6, changed: 3 });
    // Alone again once the request has ended, or the process behind it has died.
    await producer.revise([4], ++revision);
    expect(await project(live)).toMatchObject({ marks: 0 });
    await pool.query(`update projection.version set switch_until = now() where id = $1`, [version.id]);
    expect(await project(live)).toMatchObject({ marks: 1 });
    await endRequest(pool, request);
    await drain(pool, registry);
    expect(differingKeys(await documentsOf(pool, version), await documentsOf(pool, live))).toEqual([]);
  });

  it('leaves the backlog of another version until served versions are done', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    await producer.revise([1, 2], ++revision);
    const backlog = new Set([3, 4, 5].map(testArtistKey));
    await transaction(pool, (client) => markDirty(client, [{ versions: [version], keys: backlog }]));
    const result = await projectBatch(
      pool,
      { projection: artistProjection, versions: [live, version], buckets: ALL_BUCKETS },
      registry,
    );
    expect(result).toMatchObject({ marks: 4, changed: 2, unchanged: 0 });
    expect([await countMarks(pool, live), await countMarks(pool, version)]).toEqual([0, 3]);
    expect(differingKeys(await documentsOf(pool, version), await documentsOf(pool, live))).toEqual([]);
    expect(await drain(pool, registry)).toMatchObject({ marks: 3, changed: 0, unchanged: 3 });
  });

  it('dates a dependent by the document it depends on, not by the oldest mark of the batch', async () => {
    const numbers = [30, 31];
    const dependents = numbers.map((number) => subjectRef('catalog-artist', number));
    expect(new Set(dependents.map(bucketOf)).size).toBe(2);
    await fillMirror(pool, registry, [
      rowsOf(
        artistIdentityBridge,
        ...numbers.map((number) => ({ cluster_id: clusterOf(number), catalog_artist_id: number })),
      ),
    ]);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await transaction(pool, (client) =>
      markDirty(client, [{ versions: [live], keys: new Set(numbers.map(testArtistKey)) }], (key) =>
        key === testArtistKey(30) ? anHourAgo : null,
      ),
    );
    // The buckets of the dependents are not locked.
    const own = numbers.map((number) => bucketOf(testArtistKey(number)));
    expect(own).not.toContain(bucketOf(dependents[0] ?? ''));
    expect(own).not.toContain(bucketOf(dependents[1] ?? ''));
    await projectBatch(pool, { projection: artistProjection, versions: [live], buckets: own }, registry);
    const { rows } = await pool.query(
      'select keys, marked_at = $1 as "isOld" from projection.mark order by keys',
      [anHourAgo],
    );
    expect(rows).toEqual([
      { keys: [dependents[0]], isOld: true },
      { keys: [dependents[1]], isOld: false },
    ]);
    await drain(pool, registry);
  });

  it('projects dependents in the same batch if their buckets are locked', async () => {
    const number = 32;
    const dependents = subjectRef('catalog-artist', number);
    await fillMirror(pool, registry, [
      rowsOf(artistIdentityBridge, { cluster_id: clusterOf(number), catalog_artist_id: number }),
      rowsOf(catalogArtist, { catalog_artist_id: number, name: 'Bound', slug: 'bound' }),
    ]);
    await transaction(pool, (client) =>
      markDirty(client, [{ versions: [live], keys: new Set([testArtistKey(number)]) }]),
    );
    expect(
      await projectBatch(
        pool,
        { projection: artistProjection, versions: [live], buckets: ALL_BUCKETS },
        registry,
      ),
    ).toMatchObject({
      marks: 1,
      changed: 1,
      unchanged: 1,
    });
    expect(await countMarks(pool, live)).toBe(0);
    const streamed = await documentsOf(pool, live);
    expect(streamed.has(dependents)).toBe(true);
    const rebuilt = await documentsOf(pool, await rebuild(pool, artistProjection, registry));
    expect(differingKeys(streamed, rebuilt)).toEqual([]);
  });

  it('projects a document once for all its marks', async () => {
    for (let count = 0; count < 5; count++) await producer.revise([1, 2], ++revision);
    expect(await drain(pool, registry)).toEqual({ marks: 10, changed: 2, unchanged: 0, removed: 0 });
    expect(await countMarks(pool, live)).toBe(0);
  });

  it('skips buckets that another projector holds', async () => {
    await producer.revise([1, 2, 3, 4, 5, 6, 7, 8], ++revision);
    const { rows } = await pool.query<{ bucket: number; marks: number }>(
      `select bucket, sum(cardinality(keys))::int4 as marks from projection.mark
       where version = $1 group by bucket order by bucket`,
      [live.id],
    );
    const [held] = rows;
    if (held === undefined) throw new Error('no document is marked dirty');
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock($1, $2)', [LOCKS.bucket, live.id * BUCKETS + held.bucket]);
    expect(await drain(pool, registry)).toMatchObject({ marks: 8 - held.marks });
    expect(await countMarks(pool, live)).toBe(held.marks);
    holder.release(true);
    const left = async () => {
      await drain(pool, registry);
      return countMarks(pool, live);
    };
    await expect.poll(left).toBe(0);
  });
});
