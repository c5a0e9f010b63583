import { type ClientBase, Pool, type PoolConfig } from 'pg';

export interface ConnectOptions extends PoolConfig {
  /**
   * Whether a named statement is planned once a session instead of for each set of values. Planning a quick look-up
   * costs more than doing it; what has one best plan for some values and another for others must say so itself.
   */
  readonly plansOnce?: boolean;
}

/** A pool on `url`. Sessions name themselves so that an operator can tell them apart in pg_stat_activity. */
export function connect(
  url: string,
  name: string,
  { plansOnce = false, ...options }: ConnectOptions = {},
): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: `linernotes ${name}`,
    keepAlive: true,
    // A process that freezes in a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
    ...(plansOnce ? { onConnect: planOnce } : {}),
    ...options,
  });
  // A connection that breaks is replaced on next use, and one in use fails whatever is asked of it next; without a
  // listener either would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const planOnce = async (client: ClientBase): Promise<void> => {
  await client.query('set plan_cache_mode = force_generic_plan');
};
