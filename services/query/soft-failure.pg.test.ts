import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../../db/connect.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { publishIndex } from '../../projections/engine/published/publish-index.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { auraIndex } from '../../projections/models/aura/compute.ts';
import { breakoutsIndex } from '../../projections/models/breakouts/compute.ts';
import { tastemakersIndex } from '../../projections/models/tastemakers/compute.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { pollUntil } from '../../test/support/poll.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { keyHeader, queryApp } from '../../test/support/query/app.ts';
import { CLUSTER, rowsOf } from '../../test/support/rows/source-rows.ts';
import { type BreakableLink, breakableLink } from '../../test/support/services/breakable-link.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { type QueryService, startQueryService } from './server.ts';

const SURFACE_ROWS = { state: 'degraded', present: false, rows: [], next_after: null, liveness: 'advisory' };
const SNAPSHOT = { state: 'degraded', snapshotDate: null, stale: false };
const TRACKS = { state: 'degraded', count: 0, results: [], truncated: false };

/** Every route that fails soft, with its response to a failed read. */
const ROUTES: Readonly<Record<string, object>> = {
  '/api/v2/aura': { state: 'degraded', items: [], about: expect.any(Object) },
  [`/api/v2/aura/${CLUSTER}`]: { state: 'degraded', present: false, aura: null },
  '/api/v2/tastemakers': { ...SNAPSHOT, leaderboard: [], onesToWatch: [], earlySpinners: [] },
  '/api/v2/tastemakers/ones-to-watch': { ...SNAPSHOT, items: [] },
  '/api/v2/breakouts': { ...SNAPSHOT, items: [] },
  '/api/v2/artists': { state: 'degraded', returned: 0, items: [] },
  '/api/v2/surface': { state: 'degraded', surfaces: expect.any(Array) },
  [`/api/v2/surface/seen.artist_momentum?cluster=${CLUSTER}`]: SURFACE_ROWS,
  [`/api/v2/surface/seen.dj_champion?cluster=${CLUSTER}`]: SURFACE_ROWS,
  '/api/v2/tracks?title=Halcyon': TRACKS,
  '/api/v2/tracks?title=Halcyon&source=all': TRACKS,
  '/api/v2/tracks?title=alcyo&fuzzy=true': TRACKS,
  '/api/v2/tracks/resolve?artist=Mono&title=Halcyon': { state: 'degraded', results: [] },
};
const BATCH = { method: 'POST', body: JSON.stringify({ tracks: [{ artist: 'Mono', title: 'Halcyon' }] }) };

/** What these routes read. */
const TABLES = `published.live, published.snapshot, published.entry, read.browse, read.browse_address, ingest.mirror,
  read.mb_track, read.mb_track_address, read.storefront_track, read.storefront_track_address`;

const { pool, url: databaseUrl } = withDatabase();
const log = pino({ level: 'silent' });
let key: { 'x-api-key': string };
let link: BreakableLink;
let service: QueryService;

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  for (const projection of projections) await rebuild(pool, projection, registry);
  for (const index of [auraIndex, tastemakersIndex, breakoutsIndex])
    await publishIndex(pool, registry, index, { day: '2026-01-01', signal: new AbortController().signal });
  key = await keyHeader(pool, 'unlimited');
  link = await breakableLink(databaseUrl);
});
afterAll(() => link.cut());

beforeEach(async () => {
  // Before the start, which takes the clock over.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  // A response that takes 5 seconds would be a 504.
  service = await startQueryService({
    databaseUrl: link.through(databaseUrl),
    port: 0,
    log,
    deadlineMs: 5_000,
    poolSize: 30,
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await link.mend();
  await service.stop();
});

interface Received {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly caching: readonly (string | null)[];
}

async function ask(path: string, init: RequestInit = {}): Promise<Received> {
  const headers = { ...key, ...(init.body ? { 'content-type': 'application/json' } : {}), ...init.headers };
  const response = await fetch(service.url + path, { ...init, headers });
  const caching = [response.headers.get('cache-control'), response.headers.get('etag')];
  return { status: response.status, body: (await response.json()) as Received['body'], caching };
}

/** The responses of all routes, by path. */
async function askAll(): Promise<Readonly<Record<string, Received>>> {
  const paths = Object.keys(ROUTES);
  const responses = await Promise.all([
    ...paths.map((path) => ask(path)),
    ask('/api/v2/tracks/resolve', BATCH),
  ]);
  return Object.fromEntries(responses.map((response, at) => [paths[at] ?? 'batch', response]));
}

async function expectHealthy(): Promise<void> {
  for (const [path, { status, body, caching }] of Object.entries(await askAll())) {
    expect([status, body], path).not.toEqual([200, expect.objectContaining({ state: 'degraded' })]);
    expect([status, caching[0]], path).toEqual([200, 'private, no-cache']);
    expect(caching[1] === null, path).toBe(path === 'batch');
  }
}

async function expectDegraded(): Promise<Readonly<Record<string, Received>>> {
  // Longer than anything is kept without being read again, a key too.
  vi.setSystemTime(Date.now() + 60_000);
  const received = await askAll();
  for (const [path, { status, body, caching }] of Object.entries(received)) {
    expect([status, body], path).toEqual([
      200,
      expect.objectContaining(ROUTES[path] ?? { state: 'degraded', results: [] }),
    ]);
    expect(caching, path).toEqual(['no-store', null]);
  }
  expect(received['/api/v2/surface']?.body.surfaces).toHaveLength(44);
  return received;
}

const reasonIn = (received: Readonly<Record<string, Received>>): unknown =>
  received[`/api/v2/surface/seen.artist_momentum?cluster=${CLUSTER}`]?.body.degraded_reason;

async function withLockedTables(work: () => Promise<void>): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query(`begin; lock table ${TABLES} in access exclusive mode`);
    await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

it('responds degraded while the database is stopped, also to keys that cannot be confirmed', async () => {
  await expectHealthy();
  await link.cut();
  expect(reasonIn(await expectDegraded())).toBe('database_unavailable');
  await link.mend();
  await expectHealthy();
});

it('responds degraded while the database does not respond', async () => {
  await expectHealthy();
  link.stall();
  await expectDegraded();
  await link.mend();
  // Requests may still share a read that began before.
  await pollUntil(expectHealthy);
});

it('responds degraded while tables are locked, and cancels its statements', async () => {
  await expectHealthy();
  await withLockedTables(async () => {
    expect(reasonIn(await expectDegraded())).toBe('deadline_exceeded');
    await pollUntil(async () => (await lockWaiters(pool)) === 0, {
      what: 'no statement waits for a lock',
      // Sooner than the timeout of any statement.
      timeoutMs: 5_000,
    });
  });
  await expectHealthy();
});

it('responds degraded while every connection is busy', async () => {
  const readPool: Pool = connect(databaseUrl, 'busy', { max: 1 });
  const held = await readPool.connect();
  // Set after the first connection, which may take longer.
  readPool.options.connectionTimeoutMillis = 50;
  const app = await queryApp(pool, { readPool, surfacePool: readPool });
  try {
    for (const [path, body] of Object.entries(ROUTES)) {
      const response = await app.inject({ url: path, headers: key });
      expect([response.statusCode, response.json()], path).toEqual([200, expect.objectContaining(body)]);
    }
  } finally {
    held.release();
    await app.close();
    await readPool.end();
  }
});

it('sends the whole response to a client that has an earlier one', async () => {
  const path = '/api/v2/breakouts';
  const { caching } = await ask(path);
  await withLockedTables(async () => {
    const { status, body } = await ask(path, { headers: { 'if-none-match': String(caching[1]) } });
    expect([status, body.state]).toEqual([200, 'degraded']);
  });
});
