import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { projections } from '../../projections/index.ts';
import { createWatchdog } from '../../projections/observe/watchdog.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { markDirty } from '../../projections/store/mark.ts';
import { liveVersion } from '../../projections/store/version.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../project/build-version.ts';
import { type RunningProjector, runProjector } from '../project/run-projector.ts';
import { workerMetrics } from './metrics.ts';
import { serveWorker } from './serve-worker.ts';
import { TURN_LIMIT_MS } from './watchdog.ts';

const { pool, url } = withDatabase();
const WAIT = { timeout: 30_000, interval: 20 };
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
  const projector: RunningProjector = runProjector(pool, url, registry, log, watchdog);
  undo.push(() => projector.stop());
  const options = {
    databaseUrl: url,
    port: 0,
    host: '127.0.0.1',
    pool,
    needsReadModels: true,
    log,
    watchdog,
  };
  const operations = await serveWorker(options);
  if (operations === null) throw new Error('nothing is served');
  undo.push(() => operations.stop());
  const status = async (path: string): Promise<number> => (await fetch(`${operations.url}${path}`)).status;
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { operations, status, pass };
}

/** Marks one document of the version that is served. */
async function mark(): Promise<void> {
  const version = await liveVersion(pool, 'artist');
  if (version === null) throw new Error('no artist is served');
  await transaction(pool, (client) =>
    markDirty(client, [{ versions: [version], keys: new Set(['artist:a'] as const) }]),
  );
}

const isProjected = async (): Promise<boolean> => {
  const { rowCount } = await pool.query('select from projection.mark');
  return rowCount === 0;
};

const isWaiting = async (): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return (rowCount ?? 0) > 0;
};

describe('a projector', () => {
  it('is healthy while it turns, with work and without', async () => {
    const { status, pass } = await start();
    for (let turn = 0; turn < 3; turn++) {
      await mark();
      await vi.waitUntil(isProjected, WAIT);
      pass(TURN_LIMIT_MS.project - 1);
      expect(await status('/health')).toBe(200);
    }
    expect(await status('/ready')).toBe(200);
  });

  it('is not healthy when a turn hangs, and is again when it goes on', async () => {
    const { status, pass, operations } = await start();
    const holder = await pool.connect();
    await holder.query('begin; lock table projection.mark in access exclusive mode');
    await vi.waitUntil(isWaiting, WAIT);
    pass(TURN_LIMIT_MS.project);
    expect(await status('/health')).toBe(200);
    pass(1);
    const stuck = await fetch(`${operations.url}/health`);
    expect([stuck.status, await stuck.json()]).toMatchObject([
      503,
      { error: 'unhealthy', causes: [{ what: 'project' }] },
    ]);
    await holder.query('rollback');
    holder.release();
    await vi.waitUntil(async () => (await status('/health')) === 200, WAIT);
  });

  it('is healthy and not ready while its database is of no use', async () => {
    const { status, pass } = await start();
    await pool.query('alter table projection.version rename to version_away');
    await vi.waitUntil(async () => (await status('/ready')) === 503, WAIT);
    pass(TURN_LIMIT_MS.project + 1);
    // It fails, waits and tries again, and each try is a turn.
    await vi.waitUntil(async () => (await status('/health')) === 200, WAIT);
    await pool.query('alter table projection.version_away rename to version');
    await vi.waitUntil(async () => (await status('/ready')) === 200, WAIT);
  });

  it('shows what it did', async () => {
    const { operations } = await start();
    workerMetrics.resetMetrics();
    await mark();
    await vi.waitUntil(isProjected, WAIT);
    const text = await (await fetch(`${operations.url}/metrics`)).text();
    expect(text).toContain('linernotes_documents_total{projection="artist",outcome="unchanged"} 1');
    expect(text).toContain('linernotes_change_to_document_seconds_count{projection="artist"} 1');
    expect(text).toContain('linernotes_projection_lag_seconds{projection="artist"} 0');
    expect(text).toContain('linernotes_pool_connections{pool="work",state="waiting"} 0');
  });
});

it('nothing is served where no port is given', async () => {
  const options = { databaseUrl: url, host: '127.0.0.1', pool, needsReadModels: true, log };
  expect(await serveWorker({ ...options, port: undefined })).toBeNull();
});
