import type { Admin } from 'kafkajs';
import type { Logger } from 'pino';
import { unlessAborted } from '../../../infra/runtime/retry.ts';
import { processWatchdog } from '../../../infra/runtime/watchdog.ts';
import { type ConsumeOptions, openSession, type Session, type SessionEvents } from './session.ts';
import { prefixOf } from './topic-prefixes.ts';
import { waitAtMost } from './wait-at-most.ts';

const TOPICS_LIMIT_MS = 180_000;

const TOPIC_REFRESH_MS = 30_000;
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
  try {
    return await unlessAborted(session.ended, AbortSignal.any([signal, changed.signal]));
  } finally {
    clearInterval(timer);
    liveness.stop();
    await session.close();
  }
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
