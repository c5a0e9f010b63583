import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { type BuildGenerationOptions, type BuiltGeneration, buildGeneration } from './build-generation.ts';
import { dropGenerations } from './drop-generations.ts';
import { generationDue } from './generation-due.ts';

/** What one run built and dropped. */
export interface KeptGenerations {
  /** Why a generation was built; null if none was. */
  readonly why: string | null;
  readonly built: BuiltGeneration | null;
  readonly dropped: number;
}

export interface KeepGenerationOptions extends BuildGenerationOptions {
  /** Builds a generation even if none is due. */
  readonly force?: boolean;
}

/**
 * Builds a generation of the search index if one is due, and drops unused ones.
 *
 * @returns null if another process is doing so
 */
export async function keepGeneration(
  pool: Pool,
  { force = false, ...options }: KeepGenerationOptions = {},
): Promise<KeptGenerations | null> {
  return withLock(pool, async (client) => {
    const why = force ? 'requested' : await generationDue(client);
    const built = why === null ? null : await buildGeneration(client, options);
    return { why: built === null ? null : why, built, dropped: await dropGenerations(client) };
  });
}

/** Runs `work` under the lock of generations; null if another session holds it. A broken session loses the lock. */
async function withLock<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T | null> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ acquired: boolean }>(
      'select pg_try_advisory_lock($1) as acquired',
      [LOCKS.searchGeneration],
    );
    const result = rows[0]?.acquired === true ? await work(client) : null;
    await client.query('select pg_advisory_unlock_all()');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
