import type { Pool } from 'pg';
import { connect } from '../../db/connect.ts';
import { embeddedDataDir } from '../embedded/home.ts';
import { runningDatabaseUrl } from '../embedded/postgres-leftover.ts';

/** `DATABASE_URL`, else the embedded database of an `npm start` that runs; an error when there is neither. */
export async function databaseUrl(): Promise<string> {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const url = await runningDatabaseUrl(embeddedDataDir());
  if (url !== null) return url;
  throw new Error(
    `no database: set DATABASE_URL, or run npm start, whose database in ${embeddedDataDir()} is not running`,
  );
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
