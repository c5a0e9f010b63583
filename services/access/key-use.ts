import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { textArray, timestamptzArray } from '../../db/arrays.ts';

/** Remembers when keys were used, and writes it down now and then. */
export interface KeyUse {
  /** A request was let in with the key. Costs next to nothing. */
  note(id: string): void;
  /** Writes down what was noted since the last time; what cannot be written is kept for the next. Never rejects. */
  flush(): Promise<void>;
  /** Writes down the rest. */
  stop(): Promise<void>;
}

interface KeyUseOptions {
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;

// Locked in one order, so that two processes that write of the same keys do not lock each other out.
const WRITE = `
  with used as (
    select id, at from unnest($1::text[], $2::timestamptz[]) used (id, at)
  ), locked as (
    select id from access.api_key where id = any($1::text[]) order by id for no key update
  )
  update access.api_key key set last_used_at = used.at
  from used join locked using (id)
  where key.id = used.id and (key.last_used_at is null or key.last_used_at < used.at)`;

/** Notes the use of keys in memory, and writes it into `pool` in one statement a minute. */
export function recordKeyUse(pool: Pool, { log, now, everyMs = EVERY_MS }: KeyUseOptions): KeyUse {
  let used = new Map<string, number>();
  let writing: Promise<void> | null = null;

  async function write(noted: ReadonlyMap<string, number>): Promise<void> {
    try {
      const values = [textArray([...noted.keys()]), timestamptzArray([...noted.values()])];
      await pool.query({ name: 'key-use', text: WRITE, values });
    } catch (error) {
      log.warn({ err: error }, 'the last use of keys cannot be written down');
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
    note: (id) => void used.set(id, now()),
    flush,
    async stop() {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}
