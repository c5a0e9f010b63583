import { setTimeout as pause } from 'node:timers/promises';
import type { JobProgress, JobResult } from '../../workers/jobs/define-job.ts';
import type { JobQueue } from '../../workers/jobs/runner/queue.ts';
import type { Print } from './command.ts';

const LOOK_MS = 250;
/** How long a job may wait before it is said that there is nobody to do it. */
const LONELY_MS = 3_000;

type QueuedJob = NonNullable<Awaited<ReturnType<JobQueue['getJob']>>>;

/** `key value, key value`, in an order that does not depend on who kept the result. */
export const factsOf = (result: JobResult): string =>
  Object.entries(result)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** One line of progress. */
export function progressLine({ done, total, rate, eta }: JobProgress): string {
  const share = total > 0 ? ` (${Math.floor((100 * done) / total)} %)` : '';
  return [
    `${done} of ${total}${share}`,
    ...(rate === null ? [] : [`${rate}/s`]),
    ...(eta === null ? [] : [`${eta} s left`]),
  ].join(', ');
}

/**
 * Says what becomes of a job in the queue until it has ended. Progress is said once a second at most.
 *
 * @throws with the reason where the job failed for good
 */
export async function followJob(queue: JobQueue, id: string, print: Print): Promise<JobResult> {
  const lines = lineWriter(print);
  const news = newsOf(id, lines.now);
  for (;;) {
    // Asked before the job itself, so that a job that has ended comes with its result.
    const state = await (await jobOf(queue, id)).getState();
    const job = await jobOf(queue, id);
    if (isProgress(job.progress)) lines.seldom(progressLine(job.progress));
    if (state === 'completed') return job.returnvalue;
    news.attempts(job);
    if (state === 'failed') throw new Error(job.failedReason);
    if (state === 'delayed' && job.attemptsMade === 0) news.busy();
    if (state === 'waiting') await news.lonely(queue);
    await pause(LOOK_MS);
  }
}

async function jobOf(queue: JobQueue, id: string): Promise<QueuedJob> {
  const job = await queue.getJob(id);
  if (job === undefined) throw new Error(`the queue no longer knows the job ${id}`);
  return job;
}

/** What is worth saying once. */
function newsOf(id: string, print: Print) {
  const startedAt = Date.now();
  const said = { failures: 0, busy: false, lonely: false };
  return {
    attempts({ attemptsMade, opts, failedReason }: QueuedJob) {
      if (attemptsMade <= said.failures) return;
      said.failures = attemptsMade;
      print(`attempt ${attemptsMade} of ${opts.attempts ?? 1} failed: ${failedReason}`);
    },
    busy() {
      if (!said.busy) print(`job ${id} waits until the run before it has ended`);
      said.busy = true;
    },
    async lonely(queue: JobQueue) {
      if (said.lonely || Date.now() - startedAt < LONELY_MS) return;
      said.lonely = (await queue.getWorkersCount()) === 0;
      if (said.lonely)
        print(
          `job ${id} waits, but no job worker runs; start one with \`node workers/jobs/main.ts\`. ` +
            'Ctrl-C leaves the job in the queue.',
        );
    },
  };
}

function isProgress(progress: unknown): progress is JobProgress {
  return typeof progress === 'object' && progress !== null && 'done' in progress;
}

/** Lines at once, and lines of which only each second's newest counts. */
export function lineWriter(print: Print): { now: Print; seldom: Print } {
  let last = { line: '', at: Number.NEGATIVE_INFINITY };
  return {
    now: print,
    seldom(line) {
      const at = performance.now();
      if (line === last.line || at - last.at < 1_000) return;
      last = { line, at };
      print(line);
    },
  };
}
