import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { textArray, timestamptzArray } from '../../../db/arrays.ts';

/** Records the last use of keys and writes it to the database periodically. */
export interface KeyUse {
  /** Records the use of a key in memory. */
  record(id: string): void;
  /** Writes all recorded uses; keeps them for the next flush if that fails. Never rejects. */
  flush(): Promise<void>;
  /** Writes the rest and stops. */
  stop(): Promise<void>;
}

interface KeyUseOptions {
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;

// Locks rows in one order, so that two processes do not deadlock.
const WRITE = `
  with used as (
    select id, at from unnest($1::text[], $2::timestamptz[]) used (id, at)
  ), locked as (
    select id from access.api_key where id = any($1::text[]) order by id for no key update
  )
  update access.api_key key set last_used_at = used.at
  from used join locked using (id)
  where key.id = used.id and (key.last_used_at is null or key.last_used_at < used.at)`;

/** Records the use of keys in memory and writes it to `pool` with one statement a minute. */
export function recordKeyUse(pool: Pool, { log, now, everyMs = EVERY_MS }: KeyUseOptions): KeyUse {
  let used = new Map<string, number>();
  let writing: Promise<void> | null = null;

  async function write(noted: ReadonlyMap<string, number>): Promise<void> {
    try {
      const values = [textArray([...noted.keys()]), timestamptzArray([...noted.values()])];
      await pool.query({ name: 'key-use', text: WRITE, values });
    } catch (error) {
      log.warn({ err: error }, 'cannot write the last use of keys');
      used = new Map([...noted, ...used]);
    }
  }

  async function flush(): Promise<void> {
    if (writing !== null) return writing;
    if (used.size === 0) return;
    const noted = used;
    used = new Map();
    writing = write(noted).finally(() => {
      writing = null;
    });
    return writing;
  }

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    record: (id) => void used.set(id, now()),
    flush,
    async stop() {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}
