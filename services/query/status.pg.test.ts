import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { Registry as Metrics } from 'prom-client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../db/connect.ts';
import { projections } from '../../projections/index.ts';
import { createWatchdog } from '../../projections/observe/watchdog.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { sources } from '../../projections/sources/index.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { closed } from '../../test/closed-schema.ts';
import { queryApp } from '../../test/query-app.ts';
import { CLUSTER } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import type { QueryParts } from './parts.ts';
import { HealthyBody, NotReadyBody, ReadyBody, UnhealthyBody } from './schemas/health.ts';
import { StatusBody } from './schemas/status.ts';

const { pool, url } = withDatabase();
const apps: FastifyInstance[] = [];
let registry: Registry;

beforeAll(async () => {
  FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)));
  registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  vi.restoreAllMocks();
  await pool.query('update ingest.source set newest_change_at = null, newest_heartbeat_at = null');
});

async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await queryApp(pool, changed);
  apps.push(app);
  return app;
}

/** The body, once it is known to be what its schema says. */
function bodyOf(answer: LightMyRequestResponse, schema: Parameters<typeof closed>[0]) {
  const body = answer.json();
  expect([...Value.Errors(closed(schema), body)]).toEqual([]);
  return body;
}

describe('the status', () => {
  it('says to everybody how current every source and read model is', async () => {
    const ago = (ms: number): Date => new Date(Date.now() - ms);
    await pool.query(
      'update ingest.source set newest_change_at = $2, newest_heartbeat_at = $3 where id = $1',
      [registry.idOf(artistMomentum), ago(5 * 86_400_000), ago(2_000)],
    );
    await pool.query('update ingest.source set newest_change_at = $2, kafka_lag_ms = 1250 where id = $1', [
      registry.idOf(performingEntity),
      ago(3 * 3_600_000),
    ]);
    const answer = await (await open()).inject('/status');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=1');
    const body = bodyOf(answer, StatusBody);
    expect(body).toMatchObject({ object: 'status', state: 'warn', replica_lag_seconds: null });
    expect(body.sources.map(({ source }: { source: string }) => source)).toEqual(
      sources.map(({ table }) => table),
    );
    const sourceOf = (table: string) => body.sources.find((one: { source: string }) => one.source === table);
    expect(sourceOf(artistMomentum.table)).toMatchObject({
      state: 'fresh',
      activity: 'quiet',
      refresh_cadence: 'daily',
      warn_after_seconds: 172_800,
      error_after_seconds: 345_600,
    });
    expect(sourceOf(performingEntity.table)).toMatchObject({
      state: 'warn',
      activity: 'dead',
      heartbeat_at: null,
      lag_seconds: { connector: null, kafka: 1.25, apply: null, project: 0 },
    });
    expect(sourceOf('seen.festival')).toMatchObject({ state: 'unknown', activity: 'unknown', as_of: null });
    expect(
      body.projections.map(({ projection, state }: Record<string, string>) => [projection, state]),
    ).toEqual(projections.map(({ name }) => [name, 'fresh']));
    await pool.query('update ingest.source set kafka_lag_ms = null');
  });

  it('is read once a second, however often it is asked for', async () => {
    let clock = 1_000_000;
    const app = await open({ now: () => clock });
    const spy = vi.spyOn(pool, 'query');
    const reads = () =>
      spy.mock.calls.filter(([query]) => (query as { name?: string }).name === 'freshness-of-sources').length;
    await Promise.all(Array.from({ length: 20 }, () => app.inject('/status')));
    expect(reads()).toBe(1);
    clock += 1_000;
    await app.inject('/status');
    expect(reads()).toBe(2);
  });

  it('is an error where it cannot be read', async () => {
    const gone = connect('postgres://nobody@127.0.0.1:1/nothing', 'gone');
    const answer = await (await open({ watchPool: gone })).inject('/status');
    expect([answer.statusCode, answer.json().error]).toEqual([503, 'pool_exhausted']);
    await gone.end();
  });
});

describe('health', () => {
  it('is lost with a loop that does not turn any more, and comes back with it', async () => {
    let clock = 0;
    const watchdog = createWatchdog(() => clock);
    const app = await open({ watchdog });
    const heart = watchdog.watch('staleness', 60_000);
    const healthy = await app.inject('/health');
    expect([healthy.statusCode, bodyOf(healthy, HealthyBody)]).toEqual([200, { status: 'ok' }]);
    expect(healthy.headers['cache-control']).toBe('no-store');
    clock = 60_001;
    const stuck = await app.inject('/health');
    expect(stuck.statusCode).toBe(503);
    expect(bodyOf(stuck, UnhealthyBody)).toMatchObject({
      error: 'unhealthy',
      causes: [{ what: 'staleness' }],
    });
    heart.beat();
    expect((await app.inject('/health')).statusCode).toBe(200);
  });

  it('does not depend on the database', async () => {
    const gone = connect('postgres://nobody@127.0.0.1:1/nothing', 'gone');
    const app = await open({ watchPool: gone, readPool: gone, accessPool: gone });
    expect((await app.inject('/health')).statusCode).toBe(200);
    await gone.end();
  });

  it('is told however often it is asked for', async () => {
    const app = await open({ limits: { perKey: 1, perAddress: 1 } });
    for (const path of ['/health', '/ready', '/health', '/ready']) {
      expect((await app.inject(path)).statusCode, path).toBe(200);
    }
    expect((await app.inject('/status')).statusCode).toBe(200);
    expect((await app.inject('/status')).statusCode).toBe(429);
  });
});

describe('readiness', () => {
  it('is there with the database and the read models', async () => {
    const answer = await (await open()).inject('/ready');
    expect([answer.statusCode, bodyOf(answer, ReadyBody)]).toEqual([200, { status: 'ready' }]);
  });

  it('is lost with a view, and says since when', async () => {
    await pool.query('alter view read.artist rename to artist_away');
    const answer = await (await open()).inject('/ready');
    await pool.query('alter view read.artist_away rename to artist');
    expect(answer.statusCode).toBe(503);
    const body = bodyOf(answer, NotReadyBody);
    expect(body).toMatchObject({
      error: 'not_ready',
      causes: [{ what: 'read models', detail: 'not served: artist' }],
    });
    expect(Math.abs(Date.now() - Date.parse(body.causes[0].since))).toBeLessThan(60_000);
  });

  it('is lost with the database', async () => {
    const ended = connect(url, 'ended');
    await ended.end();
    const answer = await (await open({ watchPool: ended })).inject('/ready');
    expect(answer.statusCode).toBe(503);
    expect(bodyOf(answer, NotReadyBody).causes).toMatchObject([{ what: 'database' }]);
  });

  it('does not wait behind requests that hold every connection', async () => {
    const busy = connect(url, 'busy', { max: 1 });
    const held = await busy.connect();
    const app = await open({ readPool: busy, accessPool: busy });
    expect((await app.inject('/ready')).statusCode).toBe(200);
    held.release();
    await busy.end();
  });
});

describe('metrics of requests', () => {
  it('count them by the pattern of their route and their status, and by nothing that a client makes up', async () => {
    const metrics = new Metrics();
    const app = await open({ metrics });
    const asked = [
      `/api/v2/artist/${CLUSTER}`,
      '/api/v2/artist/mono',
      '/api/v2',
      '/api/v2/a',
      '/api/v2/b',
      '/health',
    ];
    for (const path of asked) await app.inject(path);
    await app.inject('/health');
    const counts = (await metrics.metrics())
      .split('\n')
      .filter((line) => line.startsWith('linernotes_http_request_seconds_count'))
      .sort();
    expect(counts).toEqual([
      'linernotes_http_request_seconds_count{route="/api/v2",status="200"} 1',
      'linernotes_http_request_seconds_count{route="/api/v2/artist/:key",status="401"} 2',
      'linernotes_http_request_seconds_count{route="/health",status="200"} 2',
      'linernotes_http_request_seconds_count{route="none",status="404"} 2',
    ]);
  });

  it('are not served to the public', async () => {
    const app = await open({ metrics: new Metrics() });
    expect((await app.inject('/metrics')).statusCode).toBe(404);
  });
});
