import type { Admin } from 'kafkajs';
import { unlessAborted } from '../../until-it-works.ts';
import { watchdog as ofProcess, TURN_LIMIT_MS } from '../../watch/watchdog.ts';
import type { ConsumeOptions } from '../consume-kafka.ts';
import { atMost } from './at-most.ts';
import { openSession, type Session, type SessionEvents } from './session.ts';
import { differ, ourTopics } from './topics.ts';

const TOPIC_REFRESH_MS = 30_000;
/** What is away must not keep a process from ending. */
const LATE_MS = 1_000;

export interface SessionRun extends Omit<SessionEvents, 'onOtherTopics'> {
  readonly admin: Admin;
  readonly topics: string[];
  readonly signal: AbortSignal;
  onOpened(session: Session): void;
}

/**
 * Runs one session until the signal, or until other topics are there.
 *
 * @returns the error by which it came to an end by itself, else null
 * @throws when Kafka cannot be reached
 */
export async function runSession(options: ConsumeOptions, run: SessionRun): Promise<Error | null> {
  const { admin, topics, signal } = run;
  const changed = new AbortController();
  const look = () => lookForOthers(options, run, changed);
  const opening = openSession(options, admin, topics, { ...run, onOtherTopics: look });
  const session = await unlessAborted(opening, signal);
  if (session === null) {
    await atMost(
      LATE_MS,
      opening.then((late) => late.close()).catch(() => {}),
    );
    return null;
  }
  run.onOpened(session);
  const heart = (options.watchdog ?? ofProcess).watch('topics', TURN_LIMIT_MS.topics);
  const timer = setInterval(() => look().finally(heart.beat), TOPIC_REFRESH_MS);
  try {
    return await unlessAborted(session.ended, AbortSignal.any([signal, changed.signal]));
  } finally {
    clearInterval(timer);
    heart.stop();
    await session.close();
  }
}

async function lookForOthers(
  { prefix, log }: ConsumeOptions,
  { admin, topics }: SessionRun,
  changed: AbortController,
): Promise<void> {
  try {
    if (differ(topics, await ourTopics(admin, prefix), log)) changed.abort();
  } catch (error) {
    log.warn({ err: error }, 'cannot list topics');
  }
}
