import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { keyHeader } from '../../test/query-app.ts';
import { CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { type QueryService, type QueryServiceOptions, startQueryService } from './server.ts';

const { pool, url: databaseUrl } = withDatabase();
const log = pino({ level: 'silent' });
const services: QueryService[] = [];
let key: { 'x-api-key': string };

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  await rebuild(pool, artistProjection, registry);
  key = await keyHeader(pool);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const service of services.splice(0)) await service.stop();
});

async function start(changed: Partial<QueryServiceOptions> = {}): Promise<QueryService> {
  const service = await startQueryService({ databaseUrl, port: 0, log, ...changed });
  services.push(service);
  return service;
}

it('serves over HTTP what browsers and others can inflate', async () => {
  const { url } = await start();
  const answer = await fetch(`${url}/api/v2/artist/${CLUSTER}`, { headers: key });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(await answer.json()).toMatchObject({ cluster_id: CLUSTER, emergence: { state: 'present' } });
});

it('reads from the replica, and keys from the primary', async () => {
  const { url } = await start({ readUrl: 'postgres://nobody@127.0.0.1:1/nothing' }).catch(() => ({
    url: null,
  }));
  expect(url).toBeNull();
  const replicated = await start({ readUrl: databaseUrl });
  expect((await fetch(`${replicated.url}/api/v2/artist/mono`, { headers: key })).status).toBe(200);
});

async function docUrlOf({ url }: QueryService): Promise<string> {
  const refused = (await (await fetch(`${url}/api/v2/nope`)).json()) as { doc_url: string };
  return refused.doc_url;
}

it('names itself in links by its public URL, else by where it listens', async () => {
  const own = await start();
  expect(await docUrlOf(own)).toBe(`${own.url}/docs/api#error-not_found`);
  const named = await start({ publicUrl: 'https://api.example/' });
  expect(await docUrlOf(named)).toBe('https://api.example/docs/api#error-not_found');
});

it('says that the port is in use, and holds nothing then', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  await expect(start({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  expect(await sessions()).toBeGreaterThan(0);
  await services[0]?.stop();
  await vi.waitUntil(async () => (await sessions()) === 0);
});

async function sessions(): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where application_name = 'linernotes query' and datname = current_database()`,
  );
  return rowCount ?? 0;
}

it('says that the database is out of reach', async () => {
  await expect(start({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing' })).rejects.toThrow(
    'ECONNREFUSED',
  );
});

describe('stopping', () => {
  /** Makes every dossier wait until the answer is called. */
  async function holdDossiers(): Promise<() => Promise<void>> {
    const holder = await pool.connect();
    await holder.query('begin; lock table read.artist in access exclusive mode');
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  }

  const isWaiting = async (): Promise<boolean> => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return (rowCount ?? 0) > 0;
  };

  // Well below the time after which connections are closed by force.
  const LIMIT_MS = 10_000;

  it('finishes the requests under way', { timeout: LIMIT_MS }, async () => {
    const service = await start();
    const release = await holdDossiers();
    const slow = fetch(`${service.url}/api/v2/artist/${CLUSTER}`, { headers: key });
    await vi.waitUntil(isWaiting);
    const stopped = service.stop();
    await expect(fetch(`${service.url}/api/v2`)).rejects.toThrow();
    await release();
    expect((await slow).status).toBe(200);
    await stopped;
  });

  it('lets those go who wait for a position', { timeout: LIMIT_MS }, async () => {
    const service = await start();
    const waiting = fetch(`${service.url}/api/v2/artist/${CLUSTER}`, {
      headers: { ...key, 'x-linernotes-at-least': 'never:0:0', 'x-linernotes-wait': '10' },
    });
    await vi.waitUntil(async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where application_name = 'linernotes query watch'
           and datname = current_database() and query like '%mark_id_seq%'`,
      );
      return (rowCount ?? 0) > 0;
    });
    const begunAt = performance.now();
    await service.stop();
    expect(performance.now() - begunAt).toBeLessThan(LIMIT_MS / 2);
    const answer = await waiting;
    expect([answer.status, answer.headers.get('x-linernotes-freshness')]).toEqual([
      200,
      expect.stringMatching(/^stale; waited=\d\.\d$/),
    ]);
  });

  it('answers what still comes on an open connection', { timeout: LIMIT_MS }, async () => {
    const service = await start();
    const release = await holdDossiers();
    const socket = connectSocket(Number(new URL(service.url).port), '127.0.0.1');
    const received = textOf(socket);
    const host = `host: x\r\nx-api-key: ${key['x-api-key']}`;
    socket.write(`GET /api/v2/artist/${CLUSTER} HTTP/1.1\r\n${host}\r\n\r\n`);
    await vi.waitUntil(isWaiting);
    const stopped = service.stop();
    await expect(fetch(`${service.url}/api/v2`)).rejects.toThrow();
    socket.write(`GET /api/v2 HTTP/1.1\r\n${host}\r\n\r\n`);
    await release();
    expect((await received).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    await stopped;
  });
});

/** Everything that comes in until the socket is closed. */
async function textOf(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    received += data;
  });
  await once(socket, 'close');
  return received;
}

describe('what is no request', () => {
  async function send(text: string): Promise<string> {
    const { url } = await start();
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
    socket.write(text);
    return textOf(socket);
  }

  it.each([
    ['400 Bad Request', 'malformed_request', 'nonsense\r\n\r\n'],
    [
      '431 Request Header Fields Too Large',
      'headers_too_large',
      `GET /api/v2/artist/${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    ],
  ])('is answered in the envelope: %s', async (status, error, text) => {
    const [head = '', body = ''] = (await send(text)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status}\r\n`);
    expect(head).toContain('access-control-allow-origin: *');
    expect(JSON.parse(body)).toMatchObject({
      error,
      doc_url: expect.stringContaining(`/docs/api#error-${error}`),
    });
  });
});

describe('the deadline', () => {
  const active = async (): Promise<number> => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity
       where application_name = 'linernotes query' and datname = current_database() and state = 'active'`,
    );
    return rowCount ?? 0;
  };

  it('ends a request by 504, and its statement in the database', async () => {
    const { url } = await start({ deadlineMs: 1_000, poolSize: 2 });
    await fetch(`${url}/api/v2/breakouts`, { headers: key });
    const holder = await pool.connect();
    await holder.query('begin; lock table published.live in access exclusive mode');
    try {
      const answer = await fetch(`${url}/api/v2/breakouts`, { headers: key });
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
        504,
        'deadline_exceeded',
      ]);
      await vi.waitUntil(async () => (await active()) === 0);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await fetch(`${url}/api/v2/breakouts`, { headers: key })).status).toBe(200);
  });

  it('does not end a statement that others wait for', async () => {
    const { url } = await start({ deadlineMs: 1_500 });
    const holder = await pool.connect();
    await holder.query('begin; lock table read.artist in access exclusive mode');
    const ask = () => fetch(`${url}/api/v2/artist/${CLUSTER}`, { headers: key });
    const early = ask();
    await vi.waitUntil(async () => (await active()) === 1);
    expect((await early).status).toBe(504);
    // The statement of the first is still under way; whoever comes now shares the next.
    expect(await active()).toBe(1);
    const late = ask();
    await holder.query('rollback');
    holder.release();
    expect((await late).status).toBe(200);
  });
});

describe('a queue for connections that is full', () => {
  it('is told at once, and after how long to ask again', async () => {
    const { url } = await start({ poolSize: 1, poolQueue: 1 });
    const ask = () => fetch(`${url}/api/v2/breakouts`, { headers: key });
    expect((await ask()).status).toBe(200);
    const holder = await pool.connect();
    await holder.query('begin; lock table published.live in access exclusive mode');
    const waiting = [ask(), ask()];
    const refused = await vi.waitUntil(async () => {
      const answer = await ask();
      return answer.status === 503 && answer;
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ error: 'pool_exhausted', retry_after_seconds: 5 });
    await holder.query('rollback');
    holder.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toContain(200);
  });
});

describe('operations', () => {
  it('are served on a port of their own, beside the public one', async () => {
    const lines: string[] = [];
    const heard = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    const { url } = await start({ operations: { port: 0, host: '127.0.0.1' }, log: heard });
    const served = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'operations are served');
    await fetch(`${url}/api/v2/artist/${CLUSTER}`, { headers: key });
    const [health, ready, metrics, other] = await Promise.all(
      ['/health', '/ready', '/metrics', '/other'].map((path) => fetch(`${served.url}${path}`)),
    );
    expect([health?.status, await health?.json()]).toEqual([200, { status: 'ok' }]);
    // Of all projections only this one is built here.
    expect(ready?.status).toBe(503);
    expect(await ready?.json()).toMatchObject({ error: 'not_ready', causes: [{ what: 'read models' }] });
    expect(other?.status).toBe(404);
    expect(metrics?.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = (await metrics?.text()) ?? '';
    expect(text).toContain(
      'linernotes_http_request_seconds_count{route="/api/v2/artist/:key",status="200"} 1',
    );
    expect(text).toContain('linernotes_pool_connections{pool="read",state="waiting"} 0');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).toContain('linernotes_freshness_up 1');
    await services[0]?.stop();
    await expect(fetch(`${served.url}/health`)).rejects.toThrow();
  });
});
