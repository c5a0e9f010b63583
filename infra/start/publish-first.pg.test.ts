import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { withDatabase } from '../../test/services/database.ts';
import { buildVersion } from '../../workers/project/build-version.ts';
import { publishFirst } from './publish-first.ts';

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

it('leaves what cannot be published to its job, and does without', async () => {
  // Slugs cannot be looked up before there are artists.
  await publishFirst(pool);
  expect(await published()).toEqual(['aura 2019-06-30 1']);
});

it('publishes what is missing, and nothing again on the same day', async () => {
  await buildVersion(pool, artistProjection, await registerSources(pool), { promote: true });
  await publishFirst(pool);
  const all = ['aura 2019-06-30 1', 'breakouts today 1', 'tastemakers today 1'];
  expect(await published()).toEqual(all);
  await publishFirst(pool);
  expect(await published()).toEqual(all);
});

it('publishes what is of a day for another, and nothing else again on the day it was published', async () => {
  vi.stubEnv('AS_OF', '2019-07-01');
  await publishFirst(pool);
  expect(await published()).toEqual(['aura 2019-07-01 2', 'breakouts today 1', 'tastemakers today 1']);
});
