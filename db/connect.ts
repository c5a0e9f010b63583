import { Pool, type PoolConfig } from 'pg';
import { endStuckConnections } from './end-stuck-connections.ts';

/** Planner settings of a session. */
type Planning = Readonly<Record<string, string>>;

/**
 * For short lookups. A named statement is planned once a session instead of for each set of values, because planning costs
 * more than running it; a statement whose best plan depends on its values must set that itself. Memoize is off: each key is
 * looked up once, and memoizing would copy every document.
 */
export const LOOKUP_PLANNING: Planning = { plan_cache_mode: 'force_generic_plan', enable_memoize: 'off' };

/**
 * Finds the rows of given keys by an index. A plan made while a table was small would otherwise keep reading the whole
 * table for every batch, however large it has become.
 */
export const KEY_PLANNING: Planning = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
};

export interface ConnectOptions extends PoolConfig {
  readonly planning?: Planning;
  /** Milliseconds after which a connection that is still in use is ended. Default: never. */
  readonly longestHoldMs?: number;
}

/**
 * Limits of a pool for health checks, apart from the pool that does the work: a busy process must not look broken, and a
 * database that does not respond within 2 s counts as unavailable.
 */
export const WATCH_LIMITS = {
  max: 1,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 2_000,
  query_timeout: 2_000,
} as const satisfies PoolConfig;

/** A pool on `url`. @param name identifies its sessions in pg_stat_activity */
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
  // The pool replaces a broken connection, and a broken one in use fails its next statement. Without a listener either
  // error would end the process.
  pool.on('error', forgetClient);
  pool.on('connect', (client) => client.on('error', () => {}));
  if (longestHoldMs !== undefined) endStuckConnections(pool, longestHoldMs);
  return pool;
}

/** The pool attaches the client to errors of idle connections, with its password and cancel key, and errors get logged. */
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
