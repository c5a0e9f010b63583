import { setTimeout as pause } from 'node:timers/promises';
import type { JobProgress, JobResult } from '../../workers/jobs/define-job.ts';
import type { JobQueue } from '../../workers/jobs/runner/queue.ts';
import type { Print } from './command.ts';

const POLL_MS = 250;
/** How long a job may wait before the lack of a worker is reported. */
const NO_WORKER_MS = 3_000;

type QueuedJob = NonNullable<Awaited<ReturnType<JobQueue['getJob']>>>;

/** `key value, key value`, sorted by key: backends return keys in different orders. */
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
 * Follows a job in the queue until it has ended. Prints progress at most once a second.
 *
 * @throws with the reason if the job failed for good
 */
export async function followJob(queue: JobQueue, id: string, print: Print): Promise<JobResult> {
  const lines = lineWriter(print);
  const notices = noticesOf(id, lines.now);
  for (;;) {
    // Read before the job, so that a job that has ended comes with its result.
    const state = await (await jobOf(queue, id)).getState();
    const job = await jobOf(queue, id);
    if (isProgress(job.progress)) lines.seldom(progressLine(job.progress));
    if (state === 'completed') return job.returnvalue;
    notices.attempts(job);
    if (state === 'failed') throw new Error(job.failedReason);
    if (state === 'delayed' && job.attemptsMade === 0) notices.busy();
    if (state === 'waiting') await notices.noWorker(queue);
    await pause(POLL_MS);
  }
}

async function jobOf(queue: JobQueue, id: string): Promise<QueuedJob> {
  const job = await queue.getJob(id);
  if (job === undefined) throw new Error(`job ${id} is no longer in the queue`);
  return job;
}

/** Prints each notice about a job once. */
function noticesOf(id: string, print: Print) {
  const startedAt = Date.now();
  const printed = { failures: 0, busy: false, noWorker: false };
  return {
    attempts({ attemptsMade, opts, failedReason }: QueuedJob) {
      if (attemptsMade <= printed.failures) return;
      printed.failures = attemptsMade;
      print(`attempt ${attemptsMade} of ${opts.attempts ?? 1} failed: ${failedReason}`);
    },
    busy() {
      if (!printed.busy) print(`job ${id} waits for the previous run to end`);
      printed.busy = true;
    },
    async noWorker(queue: JobQueue) {
      if (printed.noWorker || Date.now() - startedAt < NO_WORKER_MS) return;
      printed.noWorker = (await queue.getWorkersCount()) === 0;
      if (printed.noWorker)
        print(
          `job ${id} waits, but no job worker is running; start one with \`node workers/jobs/main.ts\`. ` +
            'Ctrl-C leaves the job in the queue.',
        );
    },
  };
}

function isProgress(progress: unknown): progress is JobProgress {
  return typeof progress === 'object' && progress !== null && 'done' in progress;
}

/** `now` prints every line, `seldom` at most one line a second. */
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
