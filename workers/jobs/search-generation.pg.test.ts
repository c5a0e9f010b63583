import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { catalogMaster } from '../../projections/contracts/catalog/master.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { documentTable } from '../../projections/engine/store/version.ts';
import { generationTables, newestGeneration } from '../../projections/models/search/generation.ts';
import { searchProjection } from '../../projections/models/search/project.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../test/support/projections/served-version.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { runJob } from './runner/run-job.ts';
import { searchGeneration } from './search-generation.ts';

const { pool } = withDatabase();
const MASTERS = 30;
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
  const rows = Array.from({ length: MASTERS }, (_, index) => ({
    master_id: index + 1,
    title: `Title ${index}`,
    catalog_artist_ids: [],
    artist_cluster_id: null,
  }));
  await fillMirror(pool, registry, [rowsOf(catalogMaster, ...rows)]);
});

const run = (data: object = {}, progress: (done: number, total: number) => void = () => {}) =>
  runJob(searchGeneration, data, {
    pool,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    report: ({ done, total }) => progress(done, total),
    jobId: null,
    attempt: 1,
    waitForDatabase: false,
  });

const states = async () =>
  (await pool.query<{ state: string }>('select state from search.generation order by id')).rows.map(
    ({ state }) => state,
  );

const tables = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname = 'search' and tablename ~ '_\\d+$'`,
  );
  return rows.map(({ name }) => name).sort();
};

/** Rewrites documents that many times, each with a change. */
async function change(times: number): Promise<void> {
  const live = await servedVersion(pool, 'search');
  for (let left = times; left > 0; left -= MASTERS)
    await pool.query(
      `update ${documentTable(live)} set hash = hash where key in (
         select key from ${documentTable(live)} order by key limit $1)`,
      [Math.min(left, MASTERS)],
    );
}

const changes = async (): Promise<number> => {
  const { rows } = await pool.query<{ size: number }>(
    'select coalesce(sum(size), 0)::int4 as size from search.change',
  );
  return rows[0]?.size ?? 0;
};

describe('the generations of the search index', () => {
  it('do not exist while no documents are served', async () => {
    expect(await run()).toEqual({ dropped: 0 });
  });

  it('begin with the first documents, which do not count as changes', async () => {
    const { id } = await rebuild(pool, searchProjection, registry);
    expect(await changes()).toBe(0);
    const reports: [number, number][] = [];
    expect(await run({}, (...report) => reports.push(report))).toEqual({
      why: 'no generation exists',
      generation: 1,
      version: id,
      documents: MASTERS,
      dropped: 0,
    });
    expect(reports.at(-1)).toEqual([MASTERS, MASTERS]);
    expect(await tables()).toEqual(generationTables(1).sort());
    expect(await run()).toEqual({ dropped: 0 });
  });

  it('are rebuilt after many changes, and not before', async () => {
    await change(999);
    expect(await changes()).toBe(999);
    expect(await run()).toEqual({ dropped: 0 });
    await change(1);
    expect(await run()).toMatchObject({ why: '1000 changes', generation: 2 });
    expect(await states()).toEqual(['retired', 'ready']);
    expect(await changes()).toBe(1_000);
  });

  it('are rebuilt when they are old and anything has changed', async () => {
    await pool.query(
      `update search.generation set taken_at = now() - interval '25 hours' where state = 'ready'`,
    );
    expect(await run()).toEqual({ dropped: 0 });
    await change(1);
    expect(await run()).toMatchObject({ why: 'it is more than 24 hours old', generation: 3 });
  });

  it('are rebuilt when another version of the documents is served', async () => {
    await rebuild(pool, searchProjection, registry);
    expect(await run()).toMatchObject({ why: 'another version of the documents is served', generation: 4 });
  });

  it('are dropped some time after they were replaced, with the changes that all others include', async () => {
    expect(await states()).toEqual(['retired', 'retired', 'retired', 'ready']);
    await pool.query(`update search.generation set retired_at = now() - interval '14 minutes' where id < 4`);
    await change(7);
    expect(await run()).toEqual({ dropped: 0 });
    await pool.query(`update search.generation set retired_at = now() - interval '16 minutes' where id < 4`);
    expect(await run()).toEqual({ dropped: 3 });
    expect(await tables()).toEqual(generationTables(4).sort());
    expect(await changes()).toBe(7);
    const lasting = await pool.connect();
    await lasting.query('begin; select pg_current_xact_id()');
    await change(1);
    expect(await changes()).toBe(8);
    expect(await run({ force: true })).toMatchObject({ why: 'requested', generation: 5 });
    await lasting.query('rollback');
    lasting.release();
    await pool.query(`update search.generation set retired_at = now() - interval '16 minutes' where id = 4`);
    expect(await run()).toEqual({ dropped: 1 });
    expect(await changes()).toBe(0);
  });

  it('leave nothing behind if a build breaks off', async () => {
    const ending = new AbortController();
    const reason = new Error('enough');
    const broken = runJob(
      searchGeneration,
      { force: true },
      {
        pool,
        log: pino({ level: 'silent' }),
        signal: ending.signal,
        report: () => ending.abort(reason),
        jobId: null,
        attempt: 1,
        waitForDatabase: false,
      },
    );
    await expect(broken).rejects.toBe(reason);
    expect((await newestGeneration(pool))?.id).toBe(5);
    expect(await states()).toEqual(['ready', 'building']);
    expect(await run()).toEqual({ dropped: 1 });
    expect(await tables()).toEqual(generationTables(5).sort());
  });

  it('are left to a build that is already running', async () => {
    const client = await pool.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [LOCKS.searchGeneration]);
      expect(await run({ force: true })).toEqual({ busy: true });
    } finally {
      client.release(true);
    }
  });

  it('count every written, rewritten or deleted document as a change', async () => {
    const live = await servedVersion(pool, 'search');
    const before = await changes();
    const table = documentTable(live);
    await pool.query(
      `insert into ${table} (id, key, hash, body)
       select projection.document_id(key), key, '\\x00', '\\x00' from unnest(array['master:900', 'master:901']) key`,
    );
    await pool.query(
      `insert into ${table} (id, key, hash, body)
       select projection.document_id(key), key, '\\x01', '\\x01' from unnest(array['master:900', 'master:902']) key
       on conflict (id) do update set hash = excluded.hash`,
    );
    await pool.query(`delete from ${table} where key like 'master:90%'`);
    await pool.query(`delete from ${table} where key = 'master:none'`);
    expect((await changes()) - before).toBe(2 + 2 + 3);
    const { rows } = await pool.query(`select keys from search.change order by id desc limit 4`);
    expect(rows.map(({ keys }) => keys.sort())).toEqual([
      ['master:900', 'master:901', 'master:902'],
      expect.arrayContaining([expect.stringMatching(/^master:90[02]$/)]),
      expect.arrayContaining([expect.stringMatching(/^master:90[02]$/)]),
      ['master:900', 'master:901'],
    ]);
  });
});
