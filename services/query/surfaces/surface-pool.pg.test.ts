import { pino } from 'pino';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { fillMirror } from '../../../test/support/ingest/fill-mirror.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { keyHeader } from '../../../test/support/query/app.ts';
import { CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { type QueryService, startQueryService } from '../server.ts';

const SURFACE = `/api/v2/surface/seen.artist_momentum?cluster=${CLUSTER}`;
const DOSSIER = `/api/v2/artist/${CLUSTER}`;
const SIZE = 2;

const { pool, url: databaseUrl } = withDatabase();
let key: { 'x-api-key': string };
let service: QueryService;

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  await rebuild(pool, artistProjection, registry);
  key = await keyHeader(pool, 'unlimited');
});
afterEach(() => service.stop());

async function start(surfacePoolSize: number): Promise<void> {
  service = await startQueryService({
    databaseUrl,
    port: 0,
    log: pino({ level: 'silent' }),
    poolSize: 1,
    surfacePoolSize,
  });
}

async function get(path: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(service.url + path, { headers: key });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

/** The sessions of this service that wait for a lock, by the name of their pool. */
async function lockWaiters(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' order by 1`,
  );
  return rows.map(({ name }) => name);
}

it('leaves the connections of dossiers alone, however many surfaces are slow', async () => {
  await start(SIZE);
  expect(await get(SURFACE)).toMatchObject({ state: 'present' });
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table ingest.mirror in access exclusive mode');
    const surfaces = Array.from({ length: 3 * SIZE }, () => get(SURFACE));
    await expect.poll(lockWaiters).toEqual(Array(SIZE).fill('linernotes query surfaces'));
    expect(await get(DOSSIER)).toMatchObject({ cluster_id: CLUSTER });
    for (const response of await Promise.all(surfaces))
      expect(response).toMatchObject({
        state: 'degraded',
        rows: [],
        degraded_reason: expect.stringMatching(/^(?:pool_exhausted|deadline_exceeded)$/),
      });
    expect(await get('/api/v2/surface')).toMatchObject({ state: 'degraded' });
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await get(SURFACE)).toMatchObject({ state: 'present' });
});

it('is not required: without it surfaces are degraded, and dossiers are not', async () => {
  await start(0);
  expect(await get(SURFACE)).toMatchObject({
    state: 'degraded',
    rows: [],
    degraded_reason: 'not_configured',
  });
  expect(await get('/api/v2/surface')).toMatchObject({ state: 'degraded' });
  expect(await get(DOSSIER)).toMatchObject({ cluster_id: CLUSTER });
});
