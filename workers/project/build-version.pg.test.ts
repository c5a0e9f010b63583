import type { Pool } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { LOCKS } from '../../db/locks.ts';
import type { Projection } from '../../projections/engine/projection.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import type { SubjectRef } from '../../projections/engine/rows.ts';
import { createVersion } from '../../projections/engine/store/create-version.ts';
import { sweepRetired } from '../../projections/engine/store/retire.ts';
import { liveVersion, type Version, versionsOf } from '../../projections/engine/store/version.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillArtists, testArtistKey } from '../../test/support/projections/artists.ts';
import { type Documents, differingKeys, documentsOf } from '../../test/support/projections/documents.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { OtherBuild } from './build/join-build.ts';
import { BUILD_CONNECTIONS, buildVersion } from './build-version.ts';
import { setPaused } from './pause-build.ts';

/** Four ranges, the last of them not full. */
const ARTISTS = 1_700;
const BY_TEST = { actor: 'test', reason: null };

describe('a build', () => {
  const { pool, url } = withDatabase();
  const builders: Pool[] = [];
  let registry: Registry;
  let expected: Documents;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, ARTISTS);
    expected = await documentsOf(pool, await rebuild(pool, artistProjection, registry));
    expect(expected.size).toBe(ARTISTS);
  });

  beforeEach(async () => {
    await pool.query(`update projection.version set state = 'retired' where state <> 'live'`);
    await sweepRetired(pool);
  });

  afterEach(async () => {
    for (const builder of builders.splice(0)) await builder.end();
  });

  /** A pool like that of a separate process, with sessions identified by its name. */
  function builderPool(name: string): Pool {
    const builder = connect(url, name, { max: BUILD_CONNECTIONS });
    builders.push(builder);
    return builder;
  }

  const cutOff = (name: string) =>
    pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      `linernotes ${name}`,
    ]);

  /** The projection with a step after a range is projected and before it is written. */
  const meanwhile = (happens: (keys: readonly SubjectRef[]) => Promise<unknown>): Projection => ({
    ...artistProjection,
    async project(keys, readRows, sources) {
      const projected = await artistProjection.project(keys, readRows, sources);
      await happens(keys);
      return projected;
    },
  });

  async function expectComplete(version: Version): Promise<void> {
    expect(differingKeys(await documentsOf(pool, version), expected)).toEqual([]);
    expect(await left()).toBe(0);
  }

  async function left(): Promise<number> {
    const { rows } = await pool.query<{ left: number }>(
      'select count(*)::int4 as left from projection.build_range',
    );
    return rows[0]?.left ?? 0;
  }

  async function tables(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'read' order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  it('stops at ready, reports the differences, and promotes on the next call', async () => {
    const live = await liveVersion(pool, 'artist');
    const progress: object[] = [];
    const built = await buildVersion(pool, artistProjection, registry, {
      onProgress: (one) => progress.push(one),
    });
    expect(built.version.state).toBe('ready');
    expect(built.report).toMatchObject({
      against: live?.id,
      equal: ARTISTS,
      changed: 0,
      added: 0,
      gone: 0,
      moving: 0,
      fields: [],
    });
    expect(progress.at(0)).toEqual({ done: 0, total: ARTISTS });
    expect(progress.at(-1)).toEqual({ done: ARTISTS, total: ARTISTS });
    await expectComplete(built.version);

    const promoted = await buildVersion(pool, artistProjection, registry, { promote: true });
    expect(promoted.version).toMatchObject({ id: built.version.id, state: 'live' });
    expect((await versionsOf(pool, 'artist')).map(({ id, state }) => [id, state])).toEqual([
      [live?.id, 'previous'],
      [built.version.id, 'live'],
    ]);
    const { rows } = await pool.query(
      `select actor, action, detail from operation.audit where target = 'artist' order by id desc limit 1`,
    );
    expect(rows).toEqual([
      {
        actor: 'linernotes',
        action: 'promote',
        detail: { version: built.version.id, replaced: live?.id },
      },
    ]);
  });

  it('from scratch drops a ready version and keeps one previous version', async () => {
    await buildVersion(pool, artistProjection, registry);
    await buildVersion(pool, artistProjection, registry, { promote: true, fromScratch: true });
    await buildVersion(pool, artistProjection, registry, { promote: true, fromScratch: true });
    const [previous, live, ...more] = await versionsOf(pool, 'artist');
    expect([previous?.state, live?.state, more.length]).toEqual(['previous', 'live', 0]);
    expect(await tables()).toEqual(
      [`${previous?.id}`, `${previous?.id}_address`, `${live?.id}`, `${live?.id}_address`].map(
        (rest) => `artist_${rest}`,
      ),
    );
  });

  it('continues where it was stopped', async () => {
    const ending = new AbortController();
    const stopped = new Error('stopped by the test');
    const first = buildVersion(
      pool,
      meanwhile(async (keys) => {
        if (!keys.includes(testArtistKey(0))) ending.abort(stopped);
      }),
      registry,
      { signal: ending.signal },
    );
    await expect(first).rejects.toBe(stopped);
    const [begun] = (await versionsOf(pool, 'artist')).filter(({ state }) => state === 'building');
    const progress: { done: number; total: number }[] = [];
    const { version } = await buildVersion(pool, artistProjection, registry, {
      onProgress: (one) => progress.push(one),
    });
    expect(version.id).toBe(begun?.id);
    expect(progress[0]?.done).toBeGreaterThan(0);
    expect(progress[0]?.done).toBeLessThan(ARTISTS);
    await expectComplete(version);
  });

  it('continues after its connections were lost in the middle of ranges', async () => {
    let ranges = 0;
    const retries: unknown[] = [];
    const { version } = await buildVersion(
      builderPool('cut'),
      meanwhile(async () => {
        ranges++;
        if (ranges === 2) await cutOff('cut');
      }),
      registry,
      { onOutage: (error) => retries.push(error) },
    );
    expect(retries).toHaveLength(1);
    expect(ranges).toBeGreaterThan(4);
    await expectComplete(version);
  });

  it('is finished by another builder when one dies in the middle of a range', async () => {
    const stuck = Promise.withResolvers<void>();
    const death = Promise.withResolvers<void>();
    const dying = buildVersion(
      builderPool('dying'),
      meanwhile(() => {
        stuck.resolve();
        return death.promise;
      }),
      registry,
    );
    await stuck.promise;
    const heir = buildVersion(pool, artistProjection, registry);
    // The stuck builder holds at most two ranges.
    await expect.poll(left).toBeLessThanOrEqual(2);
    const [unfinished] = (await versionsOf(pool, 'artist')).filter(({ state }) => state === 'building');
    expect(unfinished).toBeDefined();
    await cutOff('dying');
    const { version } = await heir;
    expect(version.id).toBe(unfinished?.id);
    await expectComplete(version);
    // The first builder continues and finds everything done.
    death.resolve();
    expect((await dying).version).toEqual(version);
    await expectComplete(version);
  });

  it('has the same documents with two builders as with one', async () => {
    const bothBegan = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const built = [0, 0];
    const shared = bothBegan.map((began, index) =>
      buildVersion(
        builderPool(`builder ${index}`),
        meanwhile(async () => {
          began.resolve();
          await Promise.all(bothBegan.map(({ promise }) => promise));
          built[index] = (built[index] ?? 0) + 1;
        }),
        registry,
        { promote: true },
      ),
    );
    const [one, two] = await Promise.all(shared);
    expect(one?.version).toEqual(two?.version);
    expect(one?.version.state).toBe('live');
    expect(one?.report).toEqual(two?.report);
    expect((built[0] ?? 0) + (built[1] ?? 0)).toBe(4);
    expect(Math.min(...built)).toBeGreaterThan(0);
    await expectComplete(one?.version as Version);
  });

  it('pauses until it is resumed', async () => {
    const begun = Promise.withResolvers<void>();
    const paused = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const building = buildVersion(
      pool,
      meanwhile(() => {
        begun.resolve();
        return mayGoOn.promise;
      }),
      registry,
      { onPause: paused.resolve },
    );
    await begun.promise;
    const id = await setPaused(pool, artistProjection, { isPaused: true, decision: BY_TEST });
    mayGoOn.resolve();
    await paused.promise;
    expect(await left()).toBeGreaterThan(0);
    expect(await setPaused(pool, artistProjection, { isPaused: false, decision: BY_TEST })).toBe(id);
    const { version } = await building;
    expect(version.id).toBe(id);
    await expectComplete(version);
    const { rows } = await pool.query(
      `select action from operation.audit where target = 'artist' and actor = 'test' order by id`,
    );
    expect(rows).toEqual([{ action: 'rebuild pause' }, { action: 'rebuild resume' }]);
    await expect(setPaused(pool, artistProjection, { isPaused: true, decision: BY_TEST })).rejects.toThrow(
      'no version of artist is being built',
    );
  });

  it('throws while other code builds, unless that build has no builder', async () => {
    const other = await createVersion(pool, artistProjection, { codeVersion: 'other' });
    const part = await pool.connect();
    await part.query('select pg_advisory_lock_shared($1, $2)', [LOCKS.build, other?.id]);
    await expect(buildVersion(pool, artistProjection, registry)).rejects.toThrow(
      `version ${other?.id} of artist is being built by other code`,
    );
    await expect(
      buildVersion(pool, artistProjection, registry, { replaceAbandoned: true }),
    ).rejects.toBeInstanceOf(OtherBuild);
    await expect(buildVersion(pool, artistProjection, registry, { fromScratch: true })).rejects.toThrow(
      `version ${other?.id} of artist is being built by one process`,
    );
    // The server would notice a closed connection only a moment later.
    await part.query('select pg_advisory_unlock_all()');
    part.release();
    await expect(buildVersion(pool, artistProjection, registry)).rejects.toBeInstanceOf(OtherBuild);
    const { version } = await buildVersion(pool, artistProjection, registry, { replaceAbandoned: true });
    expect(version.state).toBe('ready');
    expect((await tables()).some((table) => table.startsWith(`artist_${other?.id}`))).toBe(false);
  });

  it('fails when a document cannot be projected, and releases its locks', async () => {
    const broken = meanwhile(() => Promise.reject(new TypeError('a bug')));
    await expect(buildVersion(pool, broken, registry)).rejects.toThrow('a bug');
    const { version } = await buildVersion(pool, artistProjection, registry, { fromScratch: true });
    await expectComplete(version);
  });
});
