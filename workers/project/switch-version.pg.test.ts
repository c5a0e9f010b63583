import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { projections } from '../../projections/index.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { sweepRetired } from '../../projections/store/retire.ts';
import {
  countMarks,
  documentTable,
  findVersion,
  liveVersion,
  versionsOf,
} from '../../projections/store/version.ts';
import { artistProducer, clusterOf, fillArtists, nameOf, slugOf } from '../../test/artists.ts';
import { differingKeys, documentsOf } from '../../test/documents.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { withDatabase } from '../../test/services/database.ts';
import { buildVersion, rebuild } from './build-version.ts';
import { drain } from './drain.ts';
import { drainBuckets } from './drain-buckets.ts';
import { runProjector } from './run-projector.ts';
import { promoteVersion, rollBack } from './switch-version.ts';

const ARTISTS = 60;
const TAKE = { rows: 500, documents: 500 };
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

  /** The names in the documents that are served, by key. */
  async function served(): Promise<string[]> {
    const { rows } = await pool.query<{ hash: string }>(
      `select key || encode(hash, 'hex') as hash from read.artist order by key`,
    );
    return rows.map(({ hash }) => hash);
  }

  it('puts the ready version in the place of the live one, and back, with a record of who and why', async () => {
    const live = await liveVersion(pool, 'artist');
    const { version } = await buildVersion(pool, artistProjection, registry);
    const promote = () => promoteVersion(pool, artistProjection, registry, version.id, BY_TEST);
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

  it('is refused where there is nothing to switch to', async () => {
    await expect(rollBack(pool, artistProjection, registry, BY_TEST)).rejects.toThrow(
      'artist has no previous version to go back to',
    );
    await expect(promoteVersion(pool, artistProjection, registry, 999, BY_TEST)).rejects.toThrow(
      'version 999 of artist is gone, not ready',
    );
    const { version } = await buildVersion(pool, artistProjection, registry);
    await pool.query(`update projection.version set fingerprint = 'other' where id = $1`, [version.id]);
    await expect(promoteVersion(pool, artistProjection, registry, version.id, BY_TEST)).rejects.toThrow(
      'was made by other code',
    );
  });

  it('takes up in the new version what the live one has taken up already', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    const live = await liveVersion(pool, 'artist');
    if (live === null) throw new Error('nothing is live');
    await producer.revise([1, 2, 3], ++revision);
    await drainBuckets(pool, artistProjection, [live], BUCKETS, registry, TAKE);
    const before = await served();
    await promoteVersion(pool, artistProjection, registry, version.id, BY_TEST);
    expect(await served()).toEqual(before);

    await producer.revise([2, 3, 4], ++revision);
    await drainBuckets(pool, artistProjection, [{ ...version, state: 'live' }], BUCKETS, registry, TAKE);
    const later = await served();
    await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(await served()).toEqual(later);
    expect(later).not.toEqual(before);
  });

  it('goes back to a version of other code as it is, and leaves its marks to that', async () => {
    const live = await liveVersion(pool, 'artist');
    const { version } = await buildVersion(pool, artistProjection, registry, { promote: true });
    await pool.query(`update projection.version set fingerprint = 'other' where id = $1`, [live?.id]);
    await producer.revise([1, 2, 3], ++revision);
    await drain(pool, registry);
    const back = await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(back).toMatchObject({ version: { id: live?.id }, replaced: { id: version.id } });
    await drain(pool, registry);
    expect(await countMarks(pool, back.version)).toBe(3);
    expect((await rollBack(pool, artistProjection, registry, BY_TEST)).version.id).toBe(version.id);
    await drain(pool, registry);
  });

  it('gives way to a long reader, whom no other reader has to wait for', async () => {
    const { version } = await buildVersion(pool, artistProjection, registry);
    const reader = await pool.connect();
    await reader.query('begin');
    await reader.query('select key from read.artist limit 1');
    const switching = promoteVersion(pool, artistProjection, registry, version.id, BY_TEST);
    let isSwitched = false;
    const done = switching.then(() => {
      isSwitched = true;
    });
    // Longer than one try lasts, and each of them answered.
    for (const end = performance.now() + 1_000; performance.now() < end; ) {
      expect((await pool.query('select key from read.artist limit 1')).rowCount).toBe(1);
    }
    expect(isSwitched).toBe(false);
    expect((await findVersion(pool, version.id))?.state).toBe('ready');
    await reader.query('commit');
    reader.release();
    await done;
    expect((await findVersion(pool, version.id))?.state).toBe('live');
  });

  it('shows readers whole documents that only ever become newer, through builds, promotions and rollbacks under load', async () => {
    const app = await queryApp(pool, { limits: { perKey: 1_000_000, perAddress: 1_000_000 } });
    const headers = await keyHeader(pool);
    const projector = runProjector(pool, url, registry, pino({ level: 'silent' }));
    const ending = new AbortController();
    let reads = 0;

    async function read(): Promise<void> {
      const newest = new Map<number, number>();
      while (!ending.signal.aborted) {
        for (let number = 0; number < ARTISTS; number++) {
          const path = number % 2 === 0 ? clusterOf(number) : slugOf(number);
          const response = await app.inject({ url: `/api/v2/artist/${path}`, headers });
          expect(response.statusCode).toBe(200);
          const { identity, display, cluster_id, provenance } = response.json();
          expect(cluster_id).toBe(clusterOf(number));
          expect(provenance.length).toBeGreaterThan(20);
          const seen = Number(/ revision (\d+)$/.exec(display)?.[1]);
          expect(display).toBe(nameOf(number, seen));
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

    const load = [read(), read(), write()];
    const failed = Promise.all(load);
    try {
      for (let round = 0; round < 3; round++) {
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
      while (reads < readBefore + ARTISTS) await Promise.race([failed, pool.query('select')]);
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
  });
});
