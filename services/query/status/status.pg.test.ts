import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { Registry as Metrics } from 'prom-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { createWatchdog } from '../../../infra/runtime/watchdog.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { projections } from '../../../projections/index.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CLUSTER } from '../../../test/support/rows/source-rows.ts';
import { breakableLink } from '../../../test/support/services/breakable-link.ts';
import { startQueryService } from '../server.ts';
import { HealthyBody, NotReadyBody, ReadyBody, UnhealthyBody } from './health.ts';
import { StatusBody } from './status.ts';

const { pool, url, open, registry } = withQueryService({ projections });

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await pool.query(
    'delete from ingest.connector; update ingest.source set newest_change_at = null, connector = null',
  );
});

/** The body, validated against the schema. */
function bodyOf(response: LightMyRequestResponse, schema: Parameters<typeof closed>[0]) {
  const body = response.json();
  expect([...Value.Errors(closed(schema), body)]).toEqual([]);
  return body;
}

describe('the status', () => {
  it('shows the freshness of every source and read model to every client', async () => {
    const ago = (ms: number): Date => new Date(Date.now() - ms);
    await pool.query(
      `update ingest.source set newest_change_at = $2, connector = 'producers' where id = $1`,
      [registry().idOf(artistMomentum), ago(5 * 86_400_000)],
    );
    await pool.query(`insert into ingest.connector (name, newest_heartbeat_at) values ('producers', $1)`, [
      ago(2_000),
    ]);
    await pool.query(
      'update ingest.source set newest_change_at = $2, kafka_lag_ms = 1250, lag_since = now() where id = $1',
      [registry().idOf(performingEntity), ago(3 * 3_600_000)],
    );
    const response = await (await open()).inject('/status');
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('public, max-age=1');
    const body = bodyOf(response, StatusBody);
    expect(body).toMatchObject({ object: 'status', state: 'warn', replica_lag_seconds: null });
    expect(body.sources.map(({ source }: { source: string }) => source)).toEqual(
      sources.map(({ table }) => table),
    );
    const sourceOf = (table: string) => body.sources.find((one: { source: string }) => one.source === table);
    expect(sourceOf(artistMomentum.table)).toMatchObject({
      state: 'fresh',
      activity: 'quiet',
      connector: 'producers',
      refresh_cadence: 'daily',
      warn_after_seconds: 172_800,
      error_after_seconds: 345_600,
    });
    expect(sourceOf(performingEntity.table)).toMatchObject({
      state: 'warn',
      activity: 'dead',
      connector: null,
      heartbeat_at: null,
      lag_seconds: { connector: null, kafka: 1.25, apply: null, project: 0 },
    });
    expect(sourceOf('seen.festival')).toMatchObject({ state: 'unknown', activity: 'unknown', as_of: null });
    expect(
      body.projections.map(({ projection, state }: Record<string, string>) => [projection, state]),
    ).toEqual(projections.map(({ name }) => [name, 'fresh']));
    await pool.query('update ingest.source set kafka_lag_ms = null, lag_since = null');
  });

  it('is read once a second, however many requests', async () => {
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

  it('is an error if it cannot be read', async () => {
    const gone = connect('postgres://nobody@127.0.0.1:1/nothing', 'gone');
    const response = await (await open({ watchPool: gone })).inject('/status');
    expect([response.statusCode, response.json().error]).toEqual([503, 'database_unavailable']);
    await gone.end();
  });
});

describe('health', () => {
  it('fails while a watched loop is stuck, and recovers with it', async () => {
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
    heart.heartbeat();
    expect((await app.inject('/health')).statusCode).toBe(200);
  });

  it('does not depend on the database', async () => {
    const gone = connect('postgres://nobody@127.0.0.1:1/nothing', 'gone');
    const app = await open({ watchPool: gone, readPool: gone, accessPool: gone });
    expect((await app.inject('/health')).statusCode).toBe(200);
    await gone.end();
  });

  it('has no rate limit', async () => {
    const app = await open({ limits: { perKey: 1, perAddress: 1 } });
    for (const path of ['/health', '/ready', '/health', '/ready']) {
      expect((await app.inject(path)).statusCode, path).toBe(200);
    }
    expect((await app.inject('/status')).statusCode).toBe(200);
    expect((await app.inject('/status')).statusCode).toBe(429);
  });
});

describe('readiness', () => {
  it('holds with the database and the read models', async () => {
    const response = await (await open()).inject('/ready');
    expect([response.statusCode, bodyOf(response, ReadyBody)]).toEqual([200, { status: 'ready' }]);
  });

  it('fails without a view, with the time of the failure', async () => {
    const failedAt = new Date('2026-01-02T03:04:05.678Z');
    vi.setSystemTime(failedAt);
    await pool.query('alter view read.artist rename to artist_away');
    const response = await (await open()).inject('/ready');
    await pool.query('alter view read.artist_away rename to artist');
    expect(response.statusCode).toBe(503);
    const body = bodyOf(response, NotReadyBody);
    expect(body).toMatchObject({
      error: 'not_ready',
      causes: [{ what: 'read models', detail: 'not served: artist', since: failedAt.toISOString() }],
    });
  });

  it('fails without the database', async () => {
    const ended = connect(url, 'ended');
    await ended.end();
    const response = await (await open({ watchPool: ended })).inject('/ready');
    expect(response.statusCode).toBe(503);
    expect(bodyOf(response, NotReadyBody).causes).toMatchObject([{ what: 'database' }]);
  });

  it.each([
    ['readPool', 'reads'],
    ['accessPool', 'keys'],
  ] as const)('fails if the %s cannot read, even if the other can', async (name, what) => {
    const gone = connect('postgres://nobody@127.0.0.1:1/nothing', 'gone');
    const app = await open({ [name]: gone });
    const response = await app.inject('/ready');
    expect([response.statusCode, bodyOf(response, NotReadyBody).causes]).toEqual([
      503,
      [{ what, detail: 'cannot be read: ECONNREFUSED', since: expect.any(String) }],
    ]);
    await gone.end();
  });

  it.each([
    ['the replica', 'database', (link: string) => ({ databaseUrl: url, readUrl: link })],
    ['the primary', 'keys', (link: string) => ({ databaseUrl: link, readUrl: url })],
  ] as const)('fails while %s is unavailable, and recovers', async (_which, what, urls) => {
    const link = await breakableLink(url);
    const service = await startQueryService({
      ...urls(link.through(url)),
      port: 0,
      log: pino({ level: 'silent' }),
    });
    try {
      const ready = async () => {
        const response = await fetch(`${service.url}/ready`);
        const { causes = [] } = (await response.json()) as { causes?: { what: string }[] };
        return [response.status, causes.map((cause) => cause.what)];
      };
      expect(await ready()).toEqual([200, []]);
      await link.cut();
      await expect.poll(ready).toEqual([503, expect.arrayContaining([what])]);
      await link.mend();
      await expect.poll(ready).toEqual([200, []]);
    } finally {
      await service.stop();
      await link.cut();
    }
  });

  it('fails if the role may not read a view', async () => {
    const role = `reader_${process.pid}_${Date.now().toString(36)}`;
    await pool.query(`create role ${role}; grant usage on schema read, projection, ingest, operation to ${role};
      grant select on all tables in schema read, projection, ingest, operation to ${role};
      grant select on public.schema_migration to ${role}; revoke select on read.artist from ${role}`);
    const watchPool = connect(url, 'reader', { options: `-c role=${role}` });
    try {
      const response = await (await open({ watchPool })).inject('/ready');
      expect(bodyOf(response, NotReadyBody).causes).toMatchObject([
        { what: 'read models', detail: 'not served: artist' },
      ]);
    } finally {
      await watchPool.end();
      await pool.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  it('does not wait behind requests that hold every connection', async () => {
    const busy = connect(url, 'busy', { max: 1 });
    const client = await busy.connect();
    const app = await open({ readPool: busy, accessPool: busy });
    expect((await app.inject('/ready')).statusCode).toBe(200);
    client.release();
    await busy.end();
  });
});

describe('metrics of requests', () => {
  it('count them by route pattern and status only', async () => {
    const metrics = new Metrics();
    const app = await open({ metrics });
    const requested = [
      `/api/v2/artist/${CLUSTER}`,
      '/api/v2/artist/mono',
      '/api/v2',
      '/api/v2/a',
      '/api/v2/b',
      '/health',
    ];
    for (const path of requested) await app.inject(path);
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
