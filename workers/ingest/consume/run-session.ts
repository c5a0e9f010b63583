import type { Admin } from 'kafkajs';
import type { Logger } from 'pino';
import { pause, unlessAborted } from '../../../infra/runtime/retry.ts';
import { processWatchdog } from '../../../infra/runtime/watchdog.ts';
import { sweepDue } from '../sweeps/sweep-due.ts';
import { type ConsumeOptions, openSession, type Session, type SessionEvents } from './session.ts';
import { prefixOf } from './topic-prefixes.ts';
import { waitAtMost } from './wait-at-most.ts';

const TOPICS_LIMIT_MS = 180_000;

const TOPIC_REFRESH_MS = 30_000;
const SWEEPS_LIMIT_MS = 3_600_000;
const SWEEP_POLL_MS = 2_000;
/** An unavailable broker must not keep a process from ending. */
const LATE_MS = 1_000;

export interface SessionRun extends Omit<SessionEvents, 'onUnknownTopics'> {
  readonly admin: Admin;
  readonly topics: string[];
  readonly signal: AbortSignal;
  onOpened(session: Session): void;
}

/**
 * Runs one session until the signal, or until the topics change.
 *
 * @returns the error that ended it, or null
 * @throws if Kafka is unavailable
 */
export async function runSession(options: ConsumeOptions, run: SessionRun): Promise<Error | null> {
  const { admin, topics, signal } = run;
  const changed = new AbortController();
  const refresh = () => refreshTopics(options, run, changed);
  const opening = openSession({ ...options, admin, topics }, { ...run, onUnknownTopics: refresh });
  const session = await unlessAborted(opening, signal);
  if (session === null) {
    await waitAtMost(
      LATE_MS,
      opening.then((late) => late.close()).catch(() => {}),
    );
    return null;
  }
  run.onOpened(session);
  const liveness = (options.watchdog ?? processWatchdog).watch('topics', TOPICS_LIMIT_MS);
  const timer = setInterval(() => refresh().finally(liveness.heartbeat), TOPIC_REFRESH_MS);
  const closing = new AbortController();
  const sweeping = keepSweeping(options, admin, closing.signal);
  try {
    return await unlessAborted(session.ended, AbortSignal.any([signal, changed.signal]));
  } finally {
    clearInterval(timer);
    liveness.stop();
    closing.abort();
    await Promise.all([session.close(), sweeping]);
  }
}

/** Sweeps what is due until the session ends. A failure, such as an unavailable database, is repeated. */
async function keepSweeping(options: ConsumeOptions, admin: Admin, signal: AbortSignal): Promise<void> {
  const { pool, registry, log, group, sweeps: mode = 'counted', watchdog = processWatchdog } = options;
  const liveness = watchdog.watch('sweeps', SWEEPS_LIMIT_MS);
  while (!signal.aborted) {
    await sweepDue({ pool, registry, log, group, mode, logs: admin, signal }).catch((error) =>
      log.warn({ err: error }, 'cannot remove the rows that a snapshot lacks; trying again'),
    );
    liveness.heartbeat();
    await pause(SWEEP_POLL_MS, signal);
  }
  liveness.stop();
}

async function refreshTopics(
  { prefixes, log }: ConsumeOptions,
  { admin, topics }: SessionRun,
  changed: AbortController,
): Promise<void> {
  try {
    if (haveTopicsChanged(topics, await listTopics(admin, prefixes), log)) changed.abort();
  } catch (error) {
    log.warn({ err: error }, 'cannot list topics');
  }
}

/** The topics of producers under the prefixes, sorted. */
export async function listTopics(admin: Admin, prefixes: readonly string[]): Promise<string[]> {
  const topics = await admin.listTopics();
  return topics.filter((topic) => prefixOf(topic, prefixes) !== undefined).sort();
}

/** Whether topics were added or deleted since. */
function haveTopicsChanged(known: readonly string[], found: readonly string[], log: Logger): boolean {
  const added = found.filter((topic) => !known.includes(topic));
  const gone = known.filter((topic) => !found.includes(topic));
  if (added.length > 0) log.info({ topics: added }, 'topics were added');
  if (gone.length > 0) log.warn({ topics: gone }, 'topics were deleted; their rows and positions stay');
  return added.length + gone.length > 0;
}
