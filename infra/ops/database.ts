import type { Pool } from 'pg';
import { connect } from '../../db/connect.ts';
import { keptDataSets, linernotesHome, postgresFolder } from '../embedded/config.ts';
import { runningDatabaseUrl } from '../embedded/postgres-cluster.ts';
import { readOpsConfig } from './config.ts';

/**
 * `DATABASE_URL`, else the embedded database of the running `npm start`.
 *
 * @throws if none or several are running
 */
export async function databaseUrl(): Promise<string> {
  const { DATABASE_URL, LINERNOTES_HOME } = readOpsConfig();
  if (DATABASE_URL !== undefined) return DATABASE_URL;
  const home = linernotesHome(LINERNOTES_HOME);
  const found = await Promise.all(
    keptDataSets(home).map(async (name) => ({
      name,
      url: await runningDatabaseUrl(postgresFolder(home, name)),
    })),
  );
  const running = found.flatMap(({ name, url }) => (url === null ? [] : [{ name, url }]));
  const [only, another] = running;
  if (only === undefined)
    throw new Error(`no database: set DATABASE_URL, or run npm start (its home is ${home})`);
  if (another !== undefined)
    throw new Error(
      `several databases are running (${running.map(({ name }) => name).join(', ')}); set DATABASE_URL to choose one`,
    );
  return only.url;
}

/** Runs `work` with a pool, and closes the pool afterwards. */
export async function withPool<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = connect(await databaseUrl(), 'ops', { max: 2 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
