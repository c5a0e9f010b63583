import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { registerSources } from '../../projections/engine/registry.ts';
import { versionsOf } from '../../projections/engine/store/version.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillArtists } from '../../test/support/projections/artists.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import type { JobProgress } from './define-job.ts';
import { rebuild } from './rebuild.ts';
import { JobStopped, runJob } from './runner/run-job.ts';

const { pool } = withDatabase();
const log = pino({ level: 'silent' });
const ARTISTS = 1_200;

beforeAll(async () => fillArtists(pool, await registerSources(pool), ARTISTS));

const run = (
  data: object,
  jobId: string,
  {
    signal = new AbortController().signal,
    report = () => {},
  }: { signal?: AbortSignal; report?: (progress: JobProgress) => void } = {},
) =>
  runJob(
    rebuild,
    { projection: 'artist', ...data },
    { pool, log, signal, report, jobId, attempt: 1, waitForDatabase: false },
  );

const states = async () =>
  (await versionsOf(pool, artistProjection.name)).map(({ id, state }) => [id, state]).sort();

it('builds a version, reports progress and differences, and promotes it on request', async () => {
  const reports: JobProgress[] = [];
  const first = await run({}, 'rebuild-first', { report: (progress) => reports.push(progress) });
  expect(first).toEqual({ projection: 'artist', version: 1, state: 'live' });
  expect(reports.at(-1)).toMatchObject({ done: ARTISTS, total: ARTISTS });

  const same = { equal: ARTISTS, changed: 0, added: 0, gone: 0 };
  expect(await run({}, 'rebuild-beside')).toEqual({
    projection: 'artist',
    version: 2,
    state: 'ready',
    ...same,
  });
  expect(await states()).toEqual([
    [1, 'live'],
    [2, 'ready'],
  ]);
  expect(await run({ promote: true }, 'rebuild-promoted')).toMatchObject({ version: 2, state: 'live' });
  expect(await states()).toEqual([
    [1, 'previous'],
    [2, 'live'],
  ]);
});

it('continues its version after it was stopped, even one built from scratch', async () => {
  const stopping = new AbortController();
  const reason = new JobStopped('stopped by the test');
  const stopped = run({ fromScratch: true }, 'rebuild-handed-back', {
    signal: stopping.signal,
    // Before the build, which may take only a moment.
    report: () => stopping.abort(reason),
  });
  await expect(stopped).rejects.toBe(reason);
  expect(await states()).toContainEqual([3, 'building']);

  const resumed = await run({ fromScratch: true }, 'rebuild-handed-back');
  expect(resumed).toMatchObject({ version: 3, state: 'ready', equal: ARTISTS });
  expect(await run({ fromScratch: true }, 'rebuild-another')).toMatchObject({ version: 4, equal: ARTISTS });
});

it('audits the actor and the reason', async () => {
  await run({ decision: { actor: 'kim', reason: 'a reason' } }, 'rebuild-wanted');
  const { rows } = await pool.query(
    `select actor, reason, target from operation.audit where action = 'rebuild' order by id desc limit 1`,
  );
  expect(rows).toEqual([{ actor: 'kim', reason: 'a reason', target: 'artist' }]);
});
