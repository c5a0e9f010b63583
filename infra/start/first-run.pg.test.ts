import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { registerSources } from '../../projections/engine/registry.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { buildVersion } from '../../workers/project/build-version.ts';
import { publishFirst } from './first-run.ts';

const { pool } = withDatabase();

beforeEach(() => {
  vi.stubEnv('AS_OF', '2019-06-30');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const published = async () => {
  const { rows } = await pool.query<{ index: string; day: string; runs: number }>(
    `select index, case when day = (published_at at time zone 'UTC')::date then 'today' else day::text end as day,
       (select count(*)::int from operation.job_run where name = index and outcome = 'done') as runs
     from published.live join published.snapshot using (index) where id = live.snapshot order by index`,
  );
  return rows.map(({ index, day, runs }) => `${index} ${day} ${runs}`);
};

it('leaves an index that cannot be published to its job', async () => {
  // Slugs cannot be looked up before there are artists.
  await publishFirst(pool);
  expect(await published()).toEqual(['aura 2019-06-30 1']);
});

it('publishes missing indexes, and none again on the same day', async () => {
  await buildVersion(pool, artistProjection, await registerSources(pool), { promote: true });
  await publishFirst(pool);
  const all = ['aura 2019-06-30 1', 'breakouts today 1', 'tastemakers today 1'];
  expect(await published()).toEqual(all);
  await publishFirst(pool);
  expect(await published()).toEqual(all);
});

it('publishes dated indexes again for another day, and other indexes only on another publication day', async () => {
  vi.stubEnv('AS_OF', '2019-07-01');
  await publishFirst(pool);
  expect(await published()).toEqual(['aura 2019-07-01 2', 'breakouts today 1', 'tastemakers today 1']);
});
