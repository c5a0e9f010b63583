import type { Pool } from 'pg';
import { pino } from 'pino';
import { auraIndex } from '../../projections/aura/compute.ts';
import { breakoutsIndex } from '../../projections/breakouts/compute.ts';
import { currentDay } from '../../projections/day.ts';
import { isPublished } from '../../projections/published/publish-index.ts';
import { tastemakersIndex } from '../../projections/tastemakers/compute.ts';
import { aura } from '../../workers/jobs/aura.ts';
import { breakouts } from '../../workers/jobs/breakouts.ts';
import type { Job } from '../../workers/jobs/define-job.ts';
import { runJob } from '../../workers/jobs/runner/run-job.ts';
import { tastemakers } from '../../workers/jobs/tastemakers.ts';
import { startProgress } from './progress.ts';

const INDEXES = [
  { index: auraIndex, job: aura },
  { index: tastemakersIndex, job: tastemakers },
  { index: breakoutsIndex, job: breakouts },
];

/**
 * Publishes the indexes that nothing is served of for the day yet, so that the first request finds them. One that cannot
 * be published is left to its job: the rest of the service does without.
 */
export async function publishFirst(pool: Pool): Promise<void> {
  const missing: typeof INDEXES = [];
  for (const one of INDEXES) if (!(await isPublished(pool, one.index, currentDay()))) missing.push(one);
  if (missing.length === 0) return;
  const progress = startProgress('Publishing indexes', missing.length, 'indexes');
  for (const { job } of missing) {
    await runHere(job, pool).catch((error) =>
      process.stderr.write(`${job.name} cannot be published yet: ${error}\n`),
    );
    progress.advance(1);
  }
  progress.done();
}

const runHere = (job: Job, pool: Pool) =>
  runJob(
    job,
    {},
    {
      pool,
      log: pino({ level: 'warn' }, pino.destination(2)),
      signal: new AbortController().signal,
      report: () => {},
      jobId: null,
      attempt: 1,
      patient: false,
    },
  );
