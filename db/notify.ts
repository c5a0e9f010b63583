import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';

/** Shortest time between two notifications of one process on a channel. */
const EVERY_MS = 20;

/** The lock ends with the commit, which therefore does not wait for the disk. */
const NOTIFY = `select set_config('synchronous_commit', 'off', true), pg_notify($1, '')`;

interface Sender {
  isRequested: boolean;
  readonly done: Promise<void>;
}

const senders = new WeakMap<Pool, Map<string, Sender>>();

/**
 * Notifies the listeners of a channel, in a transaction of its own. Call it after the commit: the commit of a notification
 * takes a lock of the whole server, so writers that notify would commit one after the other. Calls in quick succession
 * share a notification. One that fails is lost, so listeners also poll.
 *
 * @returns resolves once a notification was sent after the call, or failed; never rejects
 */
export function notify(pool: Pool, channel: string): Promise<void> {
  const ofPool = senders.get(pool) ?? new Map<string, Sender>();
  senders.set(pool, ofPool);
  const running = ofPool.get(channel);
  if (running !== undefined) {
    running.isRequested = true;
    return running.done;
  }
  const send = async (): Promise<void> => {
    do {
      sender.isRequested = false;
      await pool.query({ name: 'notify', text: NOTIFY, values: [channel] }).catch(() => {});
      await pause(EVERY_MS);
    } while (sender.isRequested);
    ofPool.delete(channel);
  };
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const sender: Sender = { isRequested: false, done };
  ofPool.set(channel, sender);
  void send().then(resolve);
  return done;
}
