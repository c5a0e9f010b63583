import { Pool, type PoolConfig } from 'pg';
import { endHeld } from './end-held.ts';

/** How PostgreSQL is to plan the statements of a session. */
type Planning = Readonly<Record<string, string>>;

/**
 * Quick look-ups. A named statement is planned once a session instead of for each set of values: planning costs more than
 * doing it, and what has one best plan for some values and another for others must say so itself. What is found is not kept
 * for the next row of the same statement, as the planner likes to where an index is read row by row: each is asked for
 * once, and keeping costs a copy of every document.
 */
export const LOOKED_UP: Planning = { plan_cache_mode: 'force_generic_plan', enable_memoize: 'off' };

/**
 * Rows that a statement names by their keys are found by an index, each by itself. A plan that was made while a table
 * was small would go on reading all of it for every batch of keys, however much it has grown.
 */
export const FOUND_BY_KEY: Planning = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
};

export interface ConnectOptions extends PoolConfig {
  readonly planning?: Planning;
  /** Milliseconds after which a connection that is still held is ended; unless given, never. */
  readonly longestHoldMs?: number;
}

/** A pool on `url`. Sessions name themselves so that an operator can tell them apart in pg_stat_activity. */
export function connect(
  url: string,
  name: string,
  { planning, longestHoldMs, ...options }: ConnectOptions = {},
): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: `linernotes ${name}`,
    keepAlive: true,
    // A process that freezes in a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
    ...(planning === undefined ? {} : { onConnect: setAll(planning) }),
    ...options,
  });
  // A connection that breaks is replaced on next use, and one in use fails whatever is asked of it next; without a
  // listener either would end the process.
  pool.on('error', forgetClient);
  pool.on('connect', (client) => client.on('error', () => {}));
  if (longestHoldMs !== undefined) endHeld(pool, longestHoldMs);
  return pool;
}

/**
 * The pool hangs the whole client on an error of an idle connection, password and cancel key included, and whoever is
 * told of the error next may log it.
 */
function forgetClient(error: Error & { client?: unknown }): void {
  delete error.client;
}

const setAll = (settings: Planning): NonNullable<PoolConfig['onConnect']> => {
  const text = Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join(';');
  return async (client) => {
    await client.query(text);
  };
};
