import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { type BuildGenerationOptions, type BuiltGeneration, buildGeneration } from './build-generation.ts';
import { dropGenerations } from './drop-generations.ts';
import { generationDue } from './generation-due.ts';

/** What looking after the generations came to. */
export interface KeptGenerations {
  /** Why one was built; null where none was. */
  readonly why: string | null;
  readonly built: BuiltGeneration | null;
  readonly dropped: number;
}

export interface KeepGenerationOptions extends BuildGenerationOptions {
  /** Builds one whether it is due or not. */
  readonly force?: boolean;
}

/**
 * Builds a generation of the search index where one is due, and drops those that nobody needs.
 *
 * @returns null where somebody else is at it
 */
export async function keepGeneration(
  pool: Pool,
  { force = false, ...options }: KeepGenerationOptions = {},
): Promise<KeptGenerations | null> {
  return holdingLock(pool, async (client) => {
    const why = force ? 'asked for' : await generationDue(client);
    const built = why === null ? null : await buildGeneration(client, options);
    return { why: built === null ? null : why, built, dropped: await dropGenerations(client) };
  });
}

/** The lock goes with its session. */
async function holdingLock<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T | null> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      LOCKS.searchGeneration,
    ]);
    const result = rows[0]?.got === true ? await work(client) : null;
    await client.query('select pg_advisory_unlock_all()');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
