import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { serveOperations } from '../../infra/runtime/operations-server.ts';
import { processMetrics } from '../../infra/runtime/process-metrics.ts';
import { createWatchdog } from '../../infra/runtime/watchdog.ts';
import { freshnessMetrics } from '../../projections/engine/freshness/freshness-metrics.ts';
import { readinessOf } from '../../projections/engine/freshness/readiness.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { markDirty } from '../../projections/engine/store/mark.ts';
import { projections } from '../../projections/index.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../test/support/projections/served-version.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { projectMetrics } from './metrics.ts';
import { PROJECT_LIMIT_MS, type RunningProjector, runProjector } from './run-projector.ts';

const { pool, url } = withDatabase();
const log = pino({ level: 'silent' });
const undo: (() => Promise<unknown>)[] = [];
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function start() {
  let clock = 0;
  const watchdog = createWatchdog(() => clock);
  const projector: RunningProjector = runProjector(pool, registry, { databaseUrl: url, log, watchdog });
  undo.push(() => projector.stop());
  const operations = await serveOperations({
    port: 0,
    host: '127.0.0.1',
    watchdog,
    readiness: readinessOf(pool, { projections }),
    metrics: [processMetrics({ work: pool }), projectMetrics, freshnessMetrics(pool, projections)],
  });
  if (operations === null) throw new Error('nothing is served');
  undo.push(() => operations.stop());
  const status = async (path: string): Promise<number> => (await fetch(`${operations.url}${path}`)).status;
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { operations, status, pass };
}

/** Marks one document of the version that is served, without a notification, as a worker does that dies after its commit. */
async function mark(): Promise<void> {
  const version = await servedVersion(pool, 'artist');
  await transaction(pool, (client) =>
    markDirty(client, [{ versions: [version], keys: new Set(['artist:a'] as const) }]),
  );
}

const dirtyMarks = async (): Promise<number | null> =>
  (await pool.query('select from projection.mark')).rowCount;

describe('a projector', () => {
  it('is healthy while it makes progress, with work and without', async () => {
    const { status, pass } = await start();
    for (let turn = 0; turn < 3; turn++) {
      await mark();
      await expect.poll(dirtyMarks).toBe(0);
      pass(PROJECT_LIMIT_MS - 1);
      expect(await status('/health')).toBe(200);
    }
    expect(await status('/ready')).toBe(200);
  });

  it('is unhealthy while a batch hangs', async () => {
    const { status, pass, operations } = await start();
    const holder = await pool.connect();
    await holder.query('begin; lock table projection.mark in access exclusive mode');
    await expect.poll(() => lockWaiters(pool)).toBeGreaterThan(0);
    pass(PROJECT_LIMIT_MS);
    expect(await status('/health')).toBe(200);
    pass(1);
    const stuck = await fetch(`${operations.url}/health`);
    expect([stuck.status, await stuck.json()]).toMatchObject([
      503,
      { error: 'unhealthy', causes: [{ what: 'project' }] },
    ]);
    await holder.query('rollback');
    holder.release();
    await expect.poll(() => status('/health')).toBe(200);
  });

  it('is healthy but not ready while its database is unavailable', async () => {
    const { status, pass } = await start();
    await pool.query('alter table projection.version rename to version_away');
    await expect.poll(() => status('/ready')).toBe(503);
    pass(PROJECT_LIMIT_MS + 1);
    // It fails and retries, and each attempt is a heartbeat.
    await expect.poll(() => status('/health')).toBe(200);
    await pool.query('alter table projection.version_away rename to version');
    await expect.poll(() => status('/ready')).toBe(200);
  });

  it('exposes its counters', async () => {
    const { operations } = await start();
    projectMetrics.resetMetrics();
    await mark();
    await expect.poll(dirtyMarks).toBe(0);
    const text = await (await fetch(`${operations.url}/metrics`)).text();
    expect(text).toContain('linernotes_documents_total{projection="artist",outcome="unchanged"} 1');
    expect(text).toContain('linernotes_change_to_document_seconds_count{projection="artist"} 1');
    expect(text).toContain('linernotes_projection_lag_seconds{projection="artist"} 0');
    expect(text).toContain('linernotes_pool_connections{pool="work",state="waiting"} 0');
  });
});
