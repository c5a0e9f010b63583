import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { versionsOf } from '../../projections/store/version.ts';
import { fillArtists } from '../../test/artists.ts';
import { withDatabase } from '../../test/services/database.ts';
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
    { pool, log, signal, report, jobId, attempt: 1, patient: false },
  );

const states = async () =>
  (await versionsOf(pool, artistProjection.name)).map(({ id, state }) => [id, state]).sort();

it('builds a version, tells how far it is and what differs, and puts it in place when asked', async () => {
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

it('goes on with its version when it was handed back, even where it began from scratch', async () => {
  const stopping = new AbortController();
  const reason = new JobStopped('told to end');
  const stopped = run({ fromScratch: true }, 'rebuild-handed-back', {
    signal: stopping.signal,
    // Before anything is built, which may be done in a moment.
    report: () => stopping.abort(reason),
  });
  await expect(stopped).rejects.toBe(reason);
  expect(await states()).toContainEqual([3, 'building']);

  const resumed = await run({ fromScratch: true }, 'rebuild-handed-back');
  expect(resumed).toMatchObject({ version: 3, state: 'ready', equal: ARTISTS });
  expect(await run({ fromScratch: true }, 'rebuild-another')).toMatchObject({ version: 4, equal: ARTISTS });
});

it('notes who wanted it', async () => {
  await run({ decision: { actor: 'somebody', reason: 'a reason' } }, 'rebuild-wanted');
  const { rows } = await pool.query(
    `select actor, reason, target from operation.audit where action = 'rebuild' order by id desc limit 1`,
  );
  expect(rows).toEqual([{ actor: 'somebody', reason: 'a reason', target: 'artist' }]);
});
