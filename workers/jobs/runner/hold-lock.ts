import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';

export interface JobLock {
  /** Aborted when the session that holds the lock is gone, so that another run may begin. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

// A worker whose machine vanished must not hold its lock for the hours that a system waits by default.
const ACQUIRE = `
  select set_config('tcp_keepalives_idle', '20', false), set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '4', false), pg_try_advisory_lock($1, hashtext($2)) as got`;

/** Takes the lock that only one run of a job can hold, whoever runs it; null where it is taken. */
export async function holdLock(pool: Pool, name: string): Promise<JobLock | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onEnd = () => lost.abort(new Error(`${name} lost its lock: the connection that held it broke`));
  // Nobody else listens to a connection that is checked out.
  client.on('error', onEnd);
  client.on('end', onEnd);
  // Closed rather than handed out again: it may hold the lock, and its settings differ.
  const close = () => {
    client.removeListener('end', onEnd);
    client.release(true);
  };
  try {
    const { rows } = await client.query<{ got: boolean }>(ACQUIRE, [LOCKS.job, name]);
    if (rows[0]?.got === true) {
      return {
        lost: lost.signal,
        async release() {
          // Closing the connection lets go of the lock too, but only when the server has noticed.
          await client.query('select pg_advisory_unlock_all()').catch(() => {});
          close();
        },
      };
    }
  } catch (error) {
    close();
    throw error;
  }
  close();
  return null;
}
