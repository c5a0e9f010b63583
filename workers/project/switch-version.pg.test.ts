import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { sweepRetired } from '../../projections/engine/store/retire.ts';
import {
  countMarks,
  documentTable,
  findVersion,
  liveVersion,
  versionsOf,
} from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import {
  artistProducer,
  clusterOf,
  fillArtists,
  testArtistKey,
  testArtistName,
  testArtistSlug,
} from '../../test/support/projections/artists.ts';
import { differingKeys, documentsOf } from '../../test/support/projections/documents.ts';
import { floodMarks } from '../../test/support/projections/flood-marks.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../test/support/projections/served-version.ts';
import { keyHeader, queryApp } from '../../test/support/query/app.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { buildVersion } from './build-version.ts';
import { drain } from './drain.ts';
import { projectBatch } from './project-batch.ts';
import { runProjector } from './run-projector.ts';
import { promoteVersion, rollBack } from './switch-version.ts';

const ARTISTS = 60;
const BUCKETS = Array.from({ length: 64 }, (_, bucket) => bucket);
const BY_TEST = { actor: 'test', reason: 'to see' };

describe('a switch', () => {
  const { pool, url } = withDatabase();
  let registry: Registry;
  let producer: ReturnType<typeof artistProducer>;
  let revision = 0;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, ARTISTS);
    producer = artistProducer(pool, registry);
    for (const projection of projections) await rebuild(pool, projection, registry);
  });

  beforeEach(async () => {
    await drain(pool, registry);
    await pool.query(
      `update projection.version set state = 'retired' where state in ('building', 'ready', 'previous')`,
    );
    await sweepRetired(pool);
  });

  const states = async () =>
    (await versionsOf(pool, 'artist')).map(({ id, state }): [number, string] => [id, state]);

  /** The names in the served documents, by key. */
  async function served(): Promise<string[]> {
    const { rows } = await pool.query<{ hash: string }>(
      `select key || encode(hash, 'hex') as hash from read.artist order by key`,
    );
    return rows.map(({ hash }) => hash);
  }

  it('promotes the ready version and rolls back, with actor and reason in the audit log', async () => {
    const live = await liveVersion(pool, 'artist');
    const { version } = await buildVersion(pool, artistProjection, registry);
    const promote = () =>
      promoteVersion(pool, artistProjection, registry, { id: version.id, decision: BY_TEST });
    const switched = await Promise.all([promote(), promote(), promote()]);
    expect(switched.map(({ replaced }) => replaced?.id ?? 0).sort()).toEqual([0, 0, live?.id]);
    for (const { version: now } of switched) expect(now).toMatchObject({ id: version.id, state: 'live' });
    expect(await states()).toEqual([
      [live?.id, 'previous'],
      [version.id, 'live'],
    ]);
    const back = await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(back).toMatchObject({ version: { id: live?.id }, replaced: { id: version.id } });
    expect(await states()).toEqual([
      [live?.id, 'live'],
      [version.id, 'previous'],
    ]);
    const { rows } = await pool.query(
      `select actor, action, reason, detail from operation.audit
       where target = 'artist' and actor = 'test' order by id`,
    );
    expect(rows).toEqual([
      {
        ...BY_TEST,
        action: 'promote',
        detail: { version: version.id, replaced: live?.id },
      },
      { ...BY_TEST, action: 'rollback', detail: { version: live?.id, replaced: version.id } },
    ]);
  });

  it('fails without a version to switch to', async () => {
    await expect(rollBack(pool, artistProjection, registry, BY_TEST)).rejects.toThrow(
      'artist has no previous version',
    );
    await expect(
      promoteVersion(pool, artistProjection, registry, { id: 999, decision: BY_TEST }),
    ).rejects.toThrow('version 999 of artist is gone, not ready');
    const { version } = await buildVersion(pool, artistProjection, registry);
    await pool.query(`update projection.version set code_version = 'other' where id = $1`, [version.id]);
    await expect(
      promoteVersion(pool, artistProjection, registry, { id: version.id, decision: BY_TEST }),
    ).rejects.toThrow('was built by other code');
  });

  it('projects changes in the new version that the live one already has', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    const live = await servedVersion(pool, 'artist');
    await producer.revise([1, 2, 3], ++revision);
    await projectBatch(pool, { projection: artistProjection, versions: [live], buckets: BUCKETS }, registry);
    const before = await served();
    await promoteVersion(pool, artistProjection, registry, { id: version.id, decision: BY_TEST });
    expect(await served()).toEqual(before);

    await producer.revise([2, 3, 4], ++revision);
    await projectBatch(
      pool,
      { projection: artistProjection, versions: [{ ...version, state: 'live' }], buckets: BUCKETS },
      registry,
    );
    const later = await served();
    await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(await served()).toEqual(later);
    expect(later).not.toEqual(before);
  });

  it('rolls back to a version of other code without projecting its marks', async () => {
    const live = await liveVersion(pool, 'artist');
    const { version } = await buildVersion(pool, artistProjection, registry, { promote: true });
    await pool.query(`update projection.version set code_version = 'other' where id = $1`, [live?.id]);
    await producer.revise([1, 2, 3], ++revision);
    await drain(pool, registry);
    const back = await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(back).toMatchObject({ version: { id: live?.id }, replaced: { id: version.id } });
    await drain(pool, registry);
    expect(await countMarks(pool, back.version)).toBe(3);
    expect((await rollBack(pool, artistProjection, registry, BY_TEST)).version.id).toBe(version.id);
    await drain(pool, registry);
  });

  it('gives way to a long reader, so that other readers do not wait', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    const reader = await pool.connect();
    await reader.query('begin');
    await reader.query('select key from read.artist limit 1');
    const switching = promoteVersion(pool, artistProjection, registry, { id: version.id, decision: BY_TEST });
    let isSwitched = false;
    const done = switching.then(() => {
      isSwitched = true;
    });
    // The second attempt shows that the first one gave way.
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect.poll(() => lockWaiters(pool)).toBe(1);
      expect((await pool.query('select key from read.artist limit 1')).rowCount).toBe(1);
    }
    expect(isSwitched).toBe(false);
    expect((await findVersion(pool, version.id))?.state).toBe('ready');
    await reader.query('commit');
    reader.release();
    await done;
    expect((await findVersion(pool, version.id))?.state).toBe('live');
  });

  it.each([
    ['under load', { rounds: 3, markRows: 0 }],
    ['while more changes wait than the switch may project', { rounds: 1, markRows: 200 }],
  ])(
    'never shows an older or partial document through builds, promotions and rollbacks %s',
    async (_, { rounds, markRows }) => {
      const app = await queryApp(pool, { limits: { perKey: 1_000_000, perAddress: 1_000_000 } });
      const headers = await keyHeader(pool);
      const projector = runProjector(pool, registry, { databaseUrl: url, log: pino({ level: 'silent' }) });
      const ending = new AbortController();
      let reads = 0;

      async function read(): Promise<void> {
        const newest = new Map<number, number>();
        while (!ending.signal.aborted) {
          for (let number = 0; number < ARTISTS; number++) {
            const path = number % 2 === 0 ? clusterOf(number) : testArtistSlug(number);
            const response = await app.inject({ url: `/api/v2/artist/${path}`, headers });
            expect(response.statusCode).toBe(200);
            const { identity, display, cluster_id, provenance } = response.json();
            expect(cluster_id).toBe(clusterOf(number));
            expect(provenance.length).toBeGreaterThan(20);
            const seen = Number(/ revision (\d+)$/.exec(display)?.[1]);
            expect(display).toBe(testArtistName(number, seen));
            expect(identity.name).toBe(display);
            expect(seen).toBeGreaterThanOrEqual(newest.get(number) ?? 0);
            newest.set(number, seen);
            reads++;
          }
        }
      }

      async function write(): Promise<void> {
        for (let at = 0; !ending.signal.aborted; at += 7) {
          const numbers = Array.from({ length: 7 }, (_, index) => (at + index) % ARTISTS);
          await producer.revise(numbers, ++revision);
        }
      }

      const keys = Array.from({ length: ARTISTS }, (_, number) => testArtistKey(number));
      const load = [read(), read(), write()];
      if (markRows > 0) load.push(floodMarks(pool, { keys, rows: markRows, signal: ending.signal }));
      const failed = Promise.all(load);
      try {
        for (let round = 0; round < rounds; round++) {
          const { version } = await Promise.race([
            buildVersion(pool, artistProjection, registry, { promote: true, fromScratch: true }),
            failed.then(() => Promise.reject(new Error('the load ended'))),
          ]);
          expect(version.state).toBe('live');
          await rollBack(pool, artistProjection, registry, BY_TEST);
          await rollBack(pool, artistProjection, registry, BY_TEST);
          expect((await liveVersion(pool, 'artist'))?.id).toBe(version.id);
        }
        const readBefore = reads;
        await Promise.race([failed, expect.poll(() => reads).toBeGreaterThanOrEqual(readBefore + ARTISTS)]);
      } finally {
        ending.abort();
        await failed.finally(() => projector.stop());
        await app.close();
      }

      await drain(pool, registry);
      const [previous, live] = await versionsOf(pool, 'artist');
      if (previous === undefined || live === undefined) throw new Error('a version is missing');
      const documents = await documentsOf(pool, live);
      expect(differingKeys(await documentsOf(pool, previous), documents)).toEqual([]);
      const rebuilt = await rebuild(pool, artistProjection, registry);
      expect(differingKeys(await documentsOf(pool, rebuilt), documents)).toEqual([]);
      const { rows } = await pool.query(`select to_regclass('${documentTable(live)}')::text as gone`);
      expect(rows).toEqual([{ gone: null }]);
    },
  );
});
