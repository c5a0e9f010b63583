import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { keyHeader } from '../../test/support/query/app.ts';
import { CLUSTER, rowsOf } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
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

it('serves gzip over HTTP', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/api/v2/artist/${CLUSTER}`, { headers: key });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(await response.json()).toMatchObject({ cluster_id: CLUSTER, emergence: { state: 'present' } });
});

it('reads from the replica, and keys from the primary', async () => {
  const replicated = await start({ readUrl: databaseUrl });
  expect((await fetch(`${replicated.url}/api/v2/artist/mono`, { headers: key })).status).toBe(200);
});

async function docUrlOf({ url }: QueryService): Promise<string> {
  const rejected = (await (await fetch(`${url}/api/v2/nope`)).json()) as { doc_url: string };
  return rejected.doc_url;
}

it('uses its public URL in links, else the address where it listens', async () => {
  const own = await start();
  expect(await docUrlOf(own)).toBe(`${own.url}/docs/api#error-not_found`);
  const named = await start({ publicUrl: 'https://api.example/' });
  expect(await docUrlOf(named)).toBe('https://api.example/docs/api#error-not_found');
});

it('reports a port that is in use and releases its connections', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  await expect(start({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  expect(await sessions()).toBeGreaterThan(0);
  await services[0]?.stop();
  await expect.poll(sessions).toBe(0);
});

async function sessions(): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where application_name = 'linernotes query' and datname = current_database()`,
  );
  return rowCount ?? 0;
}

it.each(['databaseUrl', 'readUrl'])('waits for the database at %s until its signal aborts', async (name) => {
  const ending = new AbortController();
  const lines: string[] = [];
  const log = pino(
    {},
    {
      write(line) {
        if (lines.push(line) === 2) ending.abort(new Error('stopped'));
      },
    },
  );
  const unreachable = { [name]: 'postgres://nobody@127.0.0.1:1/nothing' };
  await expect(start({ ...unreachable, log, signal: ending.signal })).rejects.toThrow('stopped');
  for (const line of lines) expect(JSON.parse(line).msg).toBe('cannot reach the database; retrying');
});

describe('stopping', () => {
  /** Makes every dossier wait until the returned function is called. */
  async function holdDossiers(): Promise<() => Promise<void>> {
    const holder = await pool.connect();
    await holder.query('begin; lock table read.artist in access exclusive mode');
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  }

  /** Stops the clock, so that neither a deadline nor a forced close can end a request. */
  async function startWithStoppedClock(): Promise<QueryService> {
    const service = await start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    return service;
  }

  it('finishes the requests in flight', async () => {
    const service = await startWithStoppedClock();
    const release = await holdDossiers();
    const slow = fetch(`${service.url}/api/v2/artist/${CLUSTER}`, { headers: key });
    await expect.poll(() => lockWaiters(pool)).toBe(1);
    const stopped = service.stop();
    await expect(fetch(`${service.url}/api/v2`)).rejects.toThrow();
    await release();
    expect((await slow).status).toBe(200);
    await stopped;
  });

  it('responds to requests that wait for a position', async () => {
    const service = await startWithStoppedClock();
    const waiting = fetch(`${service.url}/api/v2/artist/${CLUSTER}`, {
      headers: { ...key, 'x-linernotes-at-least': 'never.seen.festival:0:0', 'x-linernotes-wait': '10' },
    });
    await expect
      .poll(async () => {
        const { rowCount } = await pool.query(
          `select from pg_stat_activity where application_name = 'linernotes query watch'
             and datname = current_database() and query like '%mark_id_seq%'`,
        );
        return rowCount;
      })
      .toBeGreaterThan(0);
    await service.stop();
    const response = await waiting;
    expect([response.status, response.headers.get('x-linernotes-freshness')]).toEqual([
      200,
      expect.stringMatching(/^stale; waited=/),
    ]);
  });

  it('responds to later requests on an open connection', async () => {
    const service = await startWithStoppedClock();
    const release = await holdDossiers();
    const socket = connectSocket(Number(new URL(service.url).port), '127.0.0.1');
    const received = textOf(socket);
    const host = `host: x\r\nx-api-key: ${key['x-api-key']}`;
    socket.write(`GET /api/v2/artist/${CLUSTER} HTTP/1.1\r\n${host}\r\n\r\n`);
    await expect.poll(() => lockWaiters(pool)).toBe(1);
    const stopped = service.stop();
    await expect(fetch(`${service.url}/api/v2`)).rejects.toThrow();
    socket.write(`GET /api/v2 HTTP/1.1\r\n${host}\r\n\r\n`);
    await release();
    expect((await received).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    await stopped;
  });
});

/** Everything that arrives until the socket is closed. */
async function textOf(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    received += data;
  });
  await once(socket, 'close');
  return received;
}

describe('a malformed request', () => {
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
  ])('gets an error in the envelope: %s', async (status, error, text) => {
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

  it('ends a soft read before it, and cancels its statement in the database', async () => {
    const { url } = await start({ deadlineMs: 1_000, poolSize: 2 });
    await fetch(`${url}/api/v2/breakouts`, { headers: key });
    const holder = await pool.connect();
    await holder.query('begin; lock table published.live in access exclusive mode');
    try {
      const response = await fetch(`${url}/api/v2/breakouts`, { headers: key });
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ state: 'degraded' }),
      ]);
      await expect.poll(active).toBe(0);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await fetch(`${url}/api/v2/breakouts`, { headers: key })).status).toBe(200);
  });

  it('does not cancel a statement that other requests wait for', async () => {
    const { url } = await start({ deadlineMs: 1_500 });
    const holder = await pool.connect();
    await holder.query('begin; lock table read.artist in access exclusive mode');
    const ask = () => fetch(`${url}/api/v2/artist/${CLUSTER}`, { headers: key });
    const early = ask();
    await expect.poll(active).toBe(1);
    expect((await early).status).toBe(504);
    // The first statement is still running; new requests share the next.
    expect(await active()).toBe(1);
    const late = ask();
    await holder.query('rollback');
    holder.release();
    expect((await late).status).toBe(200);
  });
});

describe('a full queue for connections', () => {
  type Ask = () => Promise<Response>;

  it('rejects further requests with Retry-After', async () => {
    const { url } = await start({ poolSize: 1, poolQueue: 1 });
    // Lookups of one kind share a statement.
    const [artist, label, festival] = ['artist/mono', 'label/mono', 'dossier/festival/mono'].map(
      (path) => () => fetch(`${url}/api/v2/${path}`, { headers: key }),
    ) as [Ask, Ask, Ask];
    expect((await artist()).status).toBe(200);
    const holder = await pool.connect();
    await holder.query('begin; lock table read.artist in access exclusive mode');
    const waiting = [artist(), label()];
    // The queue is full as soon as both requests wait in it.
    const rejected = await vi.waitFor(async () => {
      const response = await festival();
      expect(response.status).toBe(503);
      return response;
    }, 30_000);
    expect(rejected.headers.get('retry-after')).toBe('5');
    expect(await rejected.json()).toMatchObject({ error: 'pool_exhausted', retry_after_seconds: 5 });
    await holder.query('rollback');
    holder.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toContain(200);
  });
});

describe('operations', () => {
  it('are served on a separate port', async () => {
    const lines: string[] = [];
    const heard = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    const { url } = await start({ operations: { port: 0, host: '127.0.0.1' }, log: heard });
    const served = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'serving operations');
    await fetch(`${url}/api/v2/artist/${CLUSTER}`, { headers: key });
    const [health, ready, metrics, other] = await Promise.all(
      ['/health', '/ready', '/metrics', '/other'].map((path) => fetch(`${served.url}${path}`)),
    );
    expect([health?.status, await health?.json()]).toEqual([200, { status: 'ok' }]);
    // Only the artist projection is built here.
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
