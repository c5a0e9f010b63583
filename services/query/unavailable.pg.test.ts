import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, InjectOptions } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWatchdog } from '../../infra/runtime/watchdog.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { withQueryService } from '../../test/support/query/service.ts';
import { CLUSTER, rowsOf } from '../../test/support/rows/source-rows.ts';
import { boundPool } from '../http/bounded-pool.ts';
import { anyLoad } from '../http/load-limit.ts';
import { ALL_SURFACES } from './surfaces/switches.ts';

const { pool, url, open, key } = withQueryService({
  rows: [rowsOf(artistMomentum, {})],
  projections: [artistProjection],
});
const DOSSIER = `/api/v2/artist/${CLUSTER}`;
const lost = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
const busy = new pg.Pool({ connectionString: url, max: 1 });
const full = boundPool(new pg.Pool({ connectionString: url }), {
  mostWaiting: 0,
  leftMs: () => null,
  longestMs: 0,
  watchPool: pool,
});
let held: pg.PoolClient;
let upstream: Server;

beforeAll(async () => {
  held = await busy.connect();
  // Set after the first connection, which may take longer.
  busy.options.connectionTimeoutMillis = 50;
  upstream = createServer((_request, response) => response.writeHead(503).end('{}'));
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
});
afterAll(async () => {
  held.release();
  upstream.close();
  for (const one of [lost, busy, full]) await one.end();
});

const stuck = (): ReturnType<typeof createWatchdog> => {
  let clock = 0;
  const watchdog = createWatchdog(() => clock);
  watchdog.watch('staleness', 1);
  clock = 2;
  return watchdog;
};
const v1 = () => ({
  upstreamUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  deprecatedAt: new Date(0),
  sunsetAt: new Date(0),
});

interface Producer {
  /** The code of the response; null if it comes from elsewhere. */
  readonly error: string | null;
  readonly request: InjectOptions;
  readonly start: () => Promise<FastifyInstance>;
}

/** Everything that makes this service respond 503. */
const PRODUCERS: Readonly<Record<string, Producer>> = {
  'load shedding': {
    error: 'overloaded',
    request: { url: DOSSIER },
    start: () => open({ load: { ...anyLoad, admits: () => false } }),
  },
  'load shedding of a beacon': {
    error: 'overloaded',
    request: { method: 'POST', url: '/api/v2/search-events/observed', payload: {} },
    start: () => open({ load: { ...anyLoad, admits: () => false } }),
  },
  'no free connection': {
    error: 'pool_exhausted',
    request: { url: DOSSIER },
    start: () => open({ readPool: busy }),
  },
  'a full queue for connections': {
    error: 'pool_exhausted',
    request: { url: DOSSIER },
    start: () => open({ readPool: full }),
  },
  'a database that cannot be reached': {
    error: 'database_unavailable',
    request: { url: DOSSIER },
    start: () => open({ readPool: lost }),
  },
  'keys that cannot be read': {
    error: 'database_unavailable',
    request: { url: DOSSIER },
    start: () => open({ accessPool: lost }),
  },
  'freshness that cannot be read': {
    error: 'database_unavailable',
    request: { url: '/status' },
    start: () => open({ watchPool: lost }),
  },
  'a missing read model': {
    error: 'not_ready',
    request: { url: '/api/v2/resolve?q=a' },
    start: () => open(),
  },
  'a missing search index': {
    error: 'not_ready',
    request: { url: '/api/v2/search?q=a' },
    start: () => open(),
  },
  'disabled surfaces': {
    error: 'surfaces_disabled',
    request: { url: `/api/v2/surface/seen.artist_momentum?cluster=${CLUSTER}` },
    start: async () => {
      await pool.query(
        `insert into operation.surface_off (name, reason, actor) values ($1, 'test', 'test')`,
        [ALL_SURFACES],
      );
      return open();
    },
  },
  'uncounted previews': {
    error: 'preview_unavailable',
    request: { url: '/api/v2/preview/artist?q=mono' },
    start: () => open({ previewWindow: { take: () => Promise.reject(new Error('unavailable')) } }),
  },
  readiness: { error: 'not_ready', request: { url: '/ready' }, start: () => open({ watchPool: lost }) },
  health: { error: 'unhealthy', request: { url: '/health' }, start: () => open({ watchdog: stuck() }) },
  'the upstream of version 1': {
    error: null,
    request: { url: '/api/v1/artists/1' },
    start: () => open({ v1: v1() }),
  },
};

it.each(Object.entries(PRODUCERS))('%s is 503 with Retry-After', async (_what, { error, request, start }) => {
  const app = await start();
  const response = await app.inject({ ...request, headers: key() });
  expect([response.statusCode, response.json().error ?? null]).toEqual([503, error]);
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  const { retry_after_seconds: seconds } = response.json();
  if (seconds !== undefined) expect(response.headers['retry-after']).toBe(String(seconds));
});

it('names the limit that a late response reached, and after how long', async () => {
  const readPool = new pg.Pool({ connectionString: url, statement_timeout: 50 });
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table read.artist in access exclusive mode');
    const app = await open({ readPool });
    app.get('/slow', { config: { isPublic: true }, handlerTimeout: 20 }, () => new Promise(() => {}));
    for (const [path, limit] of [
      [DOSSIER, 'A statement reached the time limit of the database'],
      ['/slow', 'The work of the route reached its time limit'],
    ] as const) {
      const late = await app.inject({ url: path, headers: key() });
      expect([late.statusCode, late.json().message], path).toEqual([
        504,
        expect.stringMatching(new RegExp(`^${limit}, \\d+\\.\\d seconds after the request arrived\\.$`)),
      ]);
    }
  } finally {
    await holder.query('rollback');
    holder.release();
    await readPool.end();
  }
});
