import type { Pool } from 'pg';
import type { Cause, Finding } from '../../../infra/runtime/cause.ts';
import { readinessOf } from '../../../projections/engine/freshness/readiness.ts';
import { projections } from '../../../projections/index.ts';
import type { QueryParts } from '../parts.ts';

const TIMEOUT_MS = 2_000;

/** Every dossier and index is found through its live version. */
const READS = 'select from projection.version limit 1';
/** Only keys that were read before work without it, and only for a while. */
const KEYS = 'select from access.api_key limit 1';

/**
 * Finds what keeps the service from its work: the database that serves reads and its read models, and the primary that
 * knows the keys. Each has to work, whatever the other does.
 */
export function queryReadiness({
  readPool,
  accessPool,
  watchPool,
}: Pick<QueryParts, 'readPool' | 'accessPool' | 'watchPool'>): () => Promise<readonly Cause[]> {
  const probes = [probeOf(readPool, 'reads', READS), probeOf(accessPool, 'keys', KEYS)];
  return readinessOf(watchPool, {
    projections,
    findings: async () => (await Promise.all(probes.map((probe) => probe()))).flat(),
  });
}

/**
 * Makes a function that runs a statement on a pool that serves requests. A busy pool is not broken: the probe does not wait
 * behind requests, and at most one of its statements is in flight.
 */
function probeOf(pool: Pool, what: string, text: string): () => Promise<readonly Finding[]> {
  let last: readonly Finding[] = [];
  let inFlight: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      await pool.query(text);
      last = [];
    } catch (error) {
      // The message of an error may name hosts and users; its code does not.
      const { code = 'no connection' } = error as { code?: string };
      last = [{ what, detail: `cannot be read: ${code}` }];
    } finally {
      inFlight = null;
    }
  }

  return async () => {
    if (inFlight === null) {
      const isBusy = pool.idleCount === 0 && pool.totalCount >= pool.options.max;
      if (isBusy) return [];
      inFlight = run();
    }
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      last = [{ what, detail: `cannot be read: no reply within ${TIMEOUT_MS / 1_000} seconds` }];
      resolve();
    }, TIMEOUT_MS);
    await Promise.race([inFlight, late]);
    clearTimeout(timer);
    return last;
  };
}
