import { pino } from 'pino';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { clusterArrivalLedgerV1 } from '../../projections/contracts/fleet/cluster-arrival-ledger-v1.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { buildVersion } from '../project/build-version.ts';
import { aura } from './aura.ts';
import { breakouts } from './breakouts.ts';
import type { Job } from './define-job.ts';
import { runJob } from './runner/run-job.ts';
import { tastemakers } from './tastemakers.ts';

const { pool } = withDatabase();

beforeAll(async () => {
  const registry = await registerSources(pool);
  const arrival = { first_arrived_at: '2019-01-01', latest_at: '2019-06-01' };
  await fillMirror(pool, registry, [
    rowsOf(clusterArrivalLedgerV1, { dimension: 'press', ...arrival }, { dimension: 'radio', ...arrival }),
    rowsOf(artistMomentum, { emergence_tier: 'rising', momentum_tier: 'rising' }),
  ]);
  await buildVersion(pool, artistProjection, registry, { promote: true });
});
afterEach(() => vi.unstubAllEnvs());

const run = (job: Job) =>
  runJob(
    job,
    {},
    {
      pool,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      report: () => {},
      jobId: null,
      attempt: 1,
      waitForDatabase: false,
    },
  );

/** The UTC publication day of the served snapshot. */
async function publishedOn(index: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ day: string }>(
    `select (published_at at time zone 'UTC')::date::text as day
     from published.live join published.snapshot on id = snapshot where live.index = $1`,
    [index],
  );
  return rows[0]?.day;
}

it('publishes aura for the day in AS_OF, and undated indexes for today', async () => {
  vi.stubEnv('AS_OF', '2019-06-30');
  expect(await run(aura)).toEqual({ day: '2019-06-30', entries: 1, published: true });
  for (const job of [tastemakers, breakouts])
    expect(await run(job)).toEqual({ day: await publishedOn(job.name), entries: 1, published: true });
});

it('publishes again only on another day, but tastemakers with every run', async () => {
  vi.stubEnv('AS_OF', '2019-06-30');
  expect(await run(aura)).toEqual({ day: '2019-06-30', entries: 0, published: false });
  expect(await run(tastemakers)).toMatchObject({ published: true });
  vi.stubEnv('AS_OF', '2020-12-02');
  expect(await run(aura)).toEqual({ day: '2020-12-02', entries: 0, published: true });
  expect(await run(breakouts)).toMatchObject({ entries: 0, published: false });
  await pool.query(`update published.snapshot set day = day - 1 where index = 'breakouts'`);
  expect(await run(breakouts)).toMatchObject({ entries: 1, published: true });
});

it('records every run, and the error of a failed one', async () => {
  vi.stubEnv('AS_OF', '2019-06-31');
  await expect(run(tastemakers)).rejects.toThrow('setting AS_OF must be a day written YYYY-MM-DD');
  const { rows } = await pool.query(
    `select name, outcome, result, error from operation.job_run where name = 'tastemakers' order by id`,
  );
  const done = {
    name: 'tastemakers',
    outcome: 'done',
    result: { day: await publishedOn('tastemakers'), entries: 1, published: true },
    error: null,
  };
  expect(rows).toEqual([
    done,
    done,
    {
      name: 'tastemakers',
      outcome: 'failed',
      result: null,
      error: 'setting AS_OF must be a day written YYYY-MM-DD',
    },
  ]);
});
