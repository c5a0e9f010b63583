import type { Pool } from 'pg';
import { connect } from '../../db/connect.ts';
import { keptDataSets, linernotesHome, postgresFolder } from '../embedded/home.ts';
import { runningDatabaseUrl } from '../embedded/postgres-leftover.ts';

/** `DATABASE_URL`, else the embedded database of the `npm start` that runs; an error when there is none or several. */
export async function databaseUrl(): Promise<string> {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const found = await Promise.all(
    keptDataSets().map(async (name) => ({ name, url: await runningDatabaseUrl(postgresFolder(name)) })),
  );
  const running = found.flatMap(({ name, url }) => (url === null ? [] : [{ name, url }]));
  const [only, another] = running;
  if (only === undefined)
    throw new Error(`no database: set DATABASE_URL, or run npm start (its home is ${linernotesHome()})`);
  if (another !== undefined)
    throw new Error(
      `several databases are running (${running.map(({ name }) => name).join(', ')}); set DATABASE_URL to choose one`,
    );
  return only.url;
}

/** Does `work` on a pool that is closed after it. */
export async function withPool<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = connect(await databaseUrl(), 'ops', { max: 2 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
