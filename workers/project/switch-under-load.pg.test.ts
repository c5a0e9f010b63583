import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { BUCKETS, bucketOf } from '../../projections/engine/store/mark.ts';
import { sweepRetired } from '../../projections/engine/store/retire.ts';
import { countMarks, type Version, versionsOf } from '../../projections/engine/store/version.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { artistProducer, fillArtists, testArtistKey } from '../../test/support/projections/artists.ts';
import { differingKeys, documentsOf } from '../../test/support/projections/documents.ts';
import { floodMarks } from '../../test/support/projections/flood-marks.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { buildVersion } from './build-version.ts';
import { drain } from './drain.ts';
import { runProjector } from './run-projector.ts';
import { promoteVersion, rollBack } from './switch-version.ts';

const ARTISTS = 60;
/** More marks than the transaction of a switch projects. */
const MANY = 40;
const BY_TEST = { actor: 'test', reason: 'to see' };

describe('a switch to a version that lags behind', () => {
  const { pool, url } = withDatabase();
  let registry: Registry;
  let producer: ReturnType<typeof artistProducer>;
  let revision = 0;
  let live: Version;
  let ready: Version;
  const undo: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, ARTISTS);
    producer = artistProducer(pool, registry);
  });
  beforeEach(async () => {
    live = await rebuild(pool, artistProjection, registry);
    ready = (await buildVersion(pool, artistProjection, registry)).version;
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
    await drain(pool, registry);
    await pool.query(`update projection.version set state = 'retired' where state <> 'live'`);
    await sweepRetired(pool);
  });

  const keys = Array.from({ length: ARTISTS }, (_, number) => testArtistKey(number));
  const promote = () => promoteVersion(pool, artistProjection, registry, { id: ready.id, decision: BY_TEST });
  const states = async () => (await versionsOf(pool, 'artist')).map(({ id, state }) => `${id} ${state}`);
  const isRequested = async (): Promise<boolean> => {
    const { rowCount } = await pool.query('select from projection.version where switch_until > now()');
    return rowCount === 1;
  };

  /** Marks many documents in both versions, by changes. */
  async function lag(): Promise<void> {
    const numbers = Array.from({ length: ARTISTS }, (_, number) => number);
    for (let change = 0; change < MANY; change++) await producer.revise(numbers, ++revision);
  }

  /** Holds a bucket of a version, so that it cannot catch up; frees it when called, or after the test. */
  async function holdBucket({ id }: Version): Promise<() => void> {
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock($1, $2)', [
      LOCKS.bucket,
      id * BUCKETS + bucketOf(testArtistKey(1)),
    ]);
    let isHeld = true;
    const free = () => {
      if (isHeld) holder.release(true);
      isHeld = false;
    };
    undo.push(async () => free());
    return free;
  }

  it('ends while changes arrive faster than they are projected', async () => {
    const projector = runProjector(pool, registry, { databaseUrl: url, log: pino({ level: 'silent' }) });
    const ending = new AbortController();
    const flood = { keys, rows: 2_000, signal: ending.signal };
    const flooding = Promise.all([floodMarks(pool, flood), floodMarks(pool, flood)]);
    undo.push(
      () => flooding,
      async () => ending.abort(),
      () => projector.stop(),
    );
    await expect.poll(() => countMarks(pool, live)).toBeGreaterThan(30_000);
    await promote();
    expect(await countMarks(pool, ready)).toBeGreaterThan(16_000);
    await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(await countMarks(pool, live)).toBeGreaterThan(16_000);
    expect(await states()).toEqual([`${live.id} live`, `${ready.id} previous`]);
  });

  it('ends without a projector, and loses no change at a rollback either', async () => {
    await lag();
    await promote();
    expect(await countMarks(pool, ready)).toBe(0);
    await lag();
    await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(await countMarks(pool, live)).toBe(0);
    expect(await states()).toEqual([`${live.id} live`, `${ready.id} previous`]);
    await drain(pool, registry);
    expect(differingKeys(await documentsOf(pool, live), await documentsOf(pool, ready))).toEqual([]);
    expect(await isRequested()).toBe(false);
  });

  it('holds back a live version of other code until it is done', async () => {
    await lag();
    await pool.query(`update projection.version set code_version = 'other' where id = $1`, [live.id]);
    await promote();
    expect(await states()).toEqual([`${live.id} previous`, `${ready.id} live`]);
    expect([await countMarks(pool, ready), await countMarks(pool, live)]).toEqual([0, MANY * ARTISTS]);
  });

  it('goes first, before changes of the live version', async () => {
    await lag();
    const free = await holdBucket(ready);
    const promoting = promote();
    await expect.poll(isRequested).toBe(true);
    await producer.revise([1], ++revision);
    await expect.poll(() => countMarks(pool, ready)).toBeLessThan(5 * MANY);
    await drain(pool, registry);
    // The document of the held bucket cannot be written to the new version, so it is not written to the live one.
    const held = `select from projection.mark where version = $1 and bucket = ${bucketOf(testArtistKey(1))}`;
    expect((await pool.query(held, [live.id])).rowCount).toBeGreaterThan(0);
    free();
    await promoting;
    await drain(pool, registry);
    expect(differingKeys(await documentsOf(pool, live), await documentsOf(pool, ready))).toEqual([]);
  });

  it('waits for another, and finds the work done', async () => {
    await lag();
    const free = await holdBucket(ready);
    const promoting = promote();
    await expect.poll(isRequested).toBe(true);
    const others = [promote(), rollBack(pool, artistProjection, registry, BY_TEST).catch(String)];
    await expect.poll(() => lockWaiters(pool)).toBeGreaterThan(0);
    free();
    expect(await promoting).toMatchObject({ replaced: { id: live.id } });
    expect(await others[0]).toMatchObject({ version: { id: ready.id }, replaced: null });
    expect(await others[1]).toBe('Error: artist has no previous version');
    expect(await states()).toEqual([`${live.id} previous`, `${ready.id} live`]);
  });

  it('leaves everything as it was when its process dies, and can be repeated', async () => {
    await lag();
    const free = await holdBucket(ready);
    const env = { ...process.env, DATABASE_URL: url };
    const child = spawn(process.execPath, ['infra/ops/main.ts', 'promote', 'artist'], {
      env,
      stdio: 'ignore',
    });
    undo.push(async () => child.kill('SIGKILL'));
    await expect.poll(isRequested).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    free();
    expect(await states()).toEqual([`${live.id} live`, `${ready.id} ready`]);
    expect(await isRequested()).toBe(true);
    // As the request goes on for a while, both are written together.
    await producer.revise([1, 2, 3], ++revision);
    await drain(pool, registry);
    expect(await countMarks(pool, live)).toBe(0);
    expect(differingKeys(await documentsOf(pool, live), await documentsOf(pool, ready))).toEqual([]);
    await lag();
    await promote();
    expect(await states()).toEqual([`${live.id} previous`, `${ready.id} live`]);
    expect(await isRequested()).toBe(false);
  });
});
