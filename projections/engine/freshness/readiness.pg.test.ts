import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { projections } from '../../index.ts';
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

const findings = async (asked = pool, needed = projections) =>
  (await readinessOf(asked, { projections: needed })()).map(({ what, detail }) => ({ what, detail }));

describe('readiness', () => {
  it('has no finding if the database responds and has its schema and read models', async () => {
    expect(await findings()).toEqual([]);
  });

  it('reports an unavailable database without its address', async () => {
    const ended = connect(url, 'ended');
    await ended.end();
    expect(await findings(ended)).toEqual([{ what: 'database', detail: 'does not answer: no connection' }]);
    const nowhere = connect('postgres://somebody:secret@127.0.0.1:1/nothing', 'nowhere');
    expect(await findings(nowhere)).toEqual([{ what: 'database', detail: 'does not answer: ECONNREFUSED' }]);
    await nowhere.end();
  });

  it('reports a database that exceeds the statement timeout', async () => {
    const holder = await pool.connect();
    await holder.query('begin; lock table public.schema_migration in access exclusive mode');
    const hasty = connect(url, 'hasty', { max: 1, statement_timeout: 2_000 });
    expect(await findings(hasty)).toEqual([{ what: 'database', detail: 'does not answer: 57014' }]);
    await holder.query('rollback');
    holder.release();
    expect(await findings(hasty)).toEqual([]);
    await hasty.end();
  });

  it('reports missing migrations', async () => {
    await pool.query(`update public.schema_migration set name = 'other' where name = '0009_freshness'`);
    expect(await findings()).toEqual([{ what: 'migrations', detail: 'not applied: 0009_freshness' }]);
    await pool.query(`update public.schema_migration set name = '0009_freshness' where name = 'other'`);
    expect(await findings()).toEqual([]);
    const [{ what, detail } = {}] = await findings(empty.pool);
    expect(what).toBe('migrations');
    expect(detail).toMatch(/^not applied: 0001_ingest, 0002_projection, /);
  });

  it('reports projections that are not served, if the process needs them', async () => {
    await pool.query(`update projection.version set state = 'ready' where projection = 'label'`);
    await pool.query('alter view read.artist rename to artist_hidden');
    await pool.query('alter view read.master_address rename to master_hidden');
    expect(await findings()).toEqual([{ what: 'read models', detail: 'not served: artist, label, master' }]);
    expect(await findings(pool, [])).toEqual([]);
    await pool.query('alter view read.artist_hidden rename to artist');
    await pool.query('alter view read.master_hidden rename to master_address');
    await pool.query(`update projection.version set state = 'live' where projection = 'label'`);
    expect(await findings()).toEqual([]);
  });

  it('includes the findings of the process, with their time', async () => {
    const waiting = { what: 'kafka', detail: 'no partition is assigned' };
    const foundAt = new Date('2026-01-02T03:04:05.678Z');
    vi.setSystemTime(foundAt);
    const readiness = readinessOf(pool, { projections, findings: () => [waiting] });
    expect(await readiness()).toEqual([{ ...waiting, since: foundAt.toISOString() }]);
  });

  it('ignores the projection backlog', async () => {
    await pool.query(
      `insert into projection.mark (version, bucket, keys, marked_at)
       select id, 0, '{artist:a}', now() - interval '1 year' from projection.version`,
    );
    expect(await findings()).toEqual([]);
    await pool.query('delete from projection.mark');
  });
});

it('checks once per second for all concurrent requests', async () => {
  const spy = vi.spyOn(pool, 'query');
  const readiness = readinessOf(pool, { projections });
  await Promise.all(Array.from({ length: 20 }, () => readiness()));
  expect(spy).toHaveBeenCalledTimes(2);
  spy.mockRestore();
});
