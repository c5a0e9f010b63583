import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../db/connect.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { projections } from '../index.ts';
import { registerSources } from '../registry.ts';
import { readinessOf } from './readiness.ts';

const { pool, url } = withDatabase();
const empty = withDatabase('empty');

beforeAll(async () => {
  const registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
});
afterEach(() => {
  vi.useRealTimers();
});

const findings = async (asked = pool, needsReadModels = true) =>
  (await readinessOf(asked, { needsReadModels })()).map(({ what, detail }) => ({ what, detail }));

describe('a process is ready', () => {
  it('when its database answers, has its schema and its read models', async () => {
    expect(await findings()).toEqual([]);
  });

  it('not without its database, of which no address is told', async () => {
    const ended = connect(url, 'ended');
    await ended.end();
    expect(await findings(ended)).toEqual([{ what: 'database', detail: 'does not answer: no connection' }]);
    const nowhere = connect('postgres://somebody:secret@127.0.0.1:1/nothing', 'nowhere');
    expect(await findings(nowhere)).toEqual([{ what: 'database', detail: 'does not answer: ECONNREFUSED' }]);
    await nowhere.end();
  });

  it('not while its database takes too long, and it is not long in saying so', async () => {
    const holder = await pool.connect();
    await holder.query('begin; lock table public.schema_migration in access exclusive mode');
    const hasty = connect(url, 'hasty', { max: 1, statement_timeout: 50 });
    expect(await findings(hasty)).toEqual([{ what: 'database', detail: 'does not answer: 57014' }]);
    await holder.query('rollback');
    holder.release();
    expect(await findings(hasty)).toEqual([]);
    await hasty.end();
  });

  it('not without a migration of its code', async () => {
    await pool.query(`update public.schema_migration set name = 'other' where name = '0009_freshness'`);
    expect(await findings()).toEqual([{ what: 'migrations', detail: 'not applied: 0009_freshness' }]);
    await pool.query(`update public.schema_migration set name = '0009_freshness' where name = 'other'`);
    expect(await findings()).toEqual([]);
    const [{ what, detail } = {}] = await findings(empty.pool);
    expect(what).toBe('migrations');
    expect(detail).toMatch(/^not applied: 0001_ingest, 0002_projection, /);
  });

  it('not without a version of every projection that is served, if it needs them', async () => {
    await pool.query(`update projection.version set state = 'ready' where projection = 'label'`);
    await pool.query('alter view read.artist rename to artist_away');
    await pool.query('alter view read.master_address rename to master_away');
    expect(await findings()).toEqual([{ what: 'read models', detail: 'not served: artist, label, master' }]);
    expect(await findings(pool, false)).toEqual([]);
    await pool.query('alter view read.artist_away rename to artist');
    await pool.query('alter view read.master_away rename to master_address');
    await pool.query(`update projection.version set state = 'live' where projection = 'label'`);
    expect(await findings()).toEqual([]);
  });

  it('not while something else is in its way', async () => {
    const waiting = { what: 'kafka', detail: 'no partition is assigned' };
    const readiness = readinessOf(pool, { needsReadModels: true, further: () => [waiting] });
    const [cause] = await readiness();
    expect(cause).toMatchObject(waiting);
    expect(Math.abs(Date.now() - Date.parse(cause?.since ?? ''))).toBeLessThan(10_000);
  });

  it('whatever waits to be projected', async () => {
    await pool.query(
      `insert into projection.mark (version, bucket, keys, marked_at)
       select id, 0, '{artist:a}', now() - interval '1 year' from projection.version`,
    );
    expect(await findings()).toEqual([]);
    await pool.query('delete from projection.mark');
  });
});

it('is found out once for all who ask within a second', async () => {
  const spy = vi.spyOn(pool, 'query');
  const readiness = readinessOf(pool, { needsReadModels: true });
  await Promise.all(Array.from({ length: 20 }, () => readiness()));
  expect(spy).toHaveBeenCalledTimes(2);
  spy.mockRestore();
});
