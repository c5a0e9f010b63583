import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { newestGeneration } from '../../../projections/models/search/generation.ts';
import { type BuildGenerationOptions, type BuiltGeneration, buildGeneration } from './build-generation.ts';
import { dropGenerations } from './drop-generations.ts';
import { generationDue } from './generation-due.ts';
import type { GenerationStore } from './generation-store.ts';
import { tableStore } from './table-store.ts';
import { withLock } from './with-lock.ts';

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
  /** Default: tables of the database. */
  readonly store?: GenerationStore;
}

/**
 * Builds a generation of the search index if one is due, and drops unused ones.
 *
 * @returns null if another process is doing so
 */
export async function keepGeneration(
  pool: Pool,
  { force = false, store = tableStore, ...options }: KeepGenerationOptions = {},
): Promise<KeptGenerations | null> {
  return withLock(pool, LOCKS.searchGeneration, async (client) => {
    const why = force ? 'requested' : await generationDue(client, store);
    const built = why === null ? null : await buildGeneration(client, store, options);
    // An earlier run may have ended between publishing a generation and serving it.
    if (built === null) await serveNewest(client, store);
    return { why: built === null ? null : why, built, dropped: await dropGenerations(client, store) };
  });
}

async function serveNewest(client: PoolClient, store: GenerationStore): Promise<void> {
  const newest = await newestGeneration(client, store.format);
  if (newest !== null) await store.serve(client, newest.id);
}
