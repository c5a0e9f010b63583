import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openRaw } from '../../test/support/http/raw-http.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { TASTE_SECRET, tasteApp } from '../../test/support/taste/app.ts';
import { contractWith, TEST_CONSUMERS, testContract } from '../../test/support/taste/contract.ts';
import { type RunningTasteService, startTasteService, type TasteServiceOptions } from './server.ts';

const { pool, url: databaseUrl } = withDatabase();
const log = pino({ level: 'silent' });
const services: RunningTasteService[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const service of services.splice(0)) await service.stop();
});

async function start(changed: Partial<TasteServiceOptions> = {}): Promise<RunningTasteService> {
  const service = await startTasteService({
    databaseUrl,
    port: 0,
    secret: TASTE_SECRET,
    contract: testContract,
    log,
    ...changed,
  });
  services.push(service);
  return service;
}

async function sessions(): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where application_name like 'linernotes taste%' and datname = current_database()`,
  );
  return rowCount ?? 0;
}

describe('the contract', () => {
  it('is a page for browsers and JSON for all other clients', async () => {
    const { url } = await start();
    const ask = (path: string, accept?: string) =>
      fetch(`${url}${path}`, {
        redirect: 'manual',
        ...(accept === undefined ? {} : { headers: { accept } }),
      });
    for (const response of [
      await ask('/contracts/v1'),
      await ask('/contracts/v1', 'application/json'),
      await ask('/contracts/v1.json', 'text/html'),
    ]) {
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual(testContract);
    }
    const page = await ask('/contracts/v1', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect([page.headers.get('content-type'), page.headers.get('vary')]).toEqual([
      'text/html; charset=utf-8',
      'Accept',
    ]);
    const html = await page.text();
    expect(html).toContain('App &amp; Friends');
    const entries = [
      ...testContract.routes,
      ...testContract.codes,
      ...testContract.limits,
      ...testContract.rules,
    ];
    for (const { no } of entries) expect(html).toContain(`id="${no}"`);
    const root = await ask('/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/contracts/v1']);
  });

  it('stays readable in every revision that a consent may name', async () => {
    const { url } = await start();
    const read = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return [response.status, ((await response.json()) as { revision?: number }).revision];
    };
    for (let revision = 1; revision <= testContract.revision; revision++) {
      expect(await read(`/contracts/v1?revision=${revision}`)).toEqual([200, revision]);
      expect(await read(`/contracts/v1.json?revision=${revision}`)).toEqual([200, revision]);
    }
    expect(await read(`/contracts/v1?revision=${testContract.revision + 1}`)).toEqual([404, undefined]);
    const headers = { accept: 'text/html' };
    const html = await (await fetch(`${url}/contracts/v1?revision=1`, { headers })).text();
    expect(html).toContain('This revision is no longer in force.');
    expect(html).toContain('<a href="/contracts/v1?revision=2">2</a>');
  });

  it('that differs from the service prevents its start, and no connection stays open', async () => {
    const contract = { ...testContract, limits: testContract.limits.slice(1) };
    await expect(start({ contract })).rejects.toThrow(
      'the contract differs from this service: limit: connect_code_lifetime is not in the contract',
    );
    await expect.poll(sessions).toBe(0);
  });
});

describe('a configured limit', () => {
  it.each([
    [{ requestsPerMinute: 599 }, 'requests_per_minute is 599, the contract says 600'],
    [{ consentsPerMinute: 9 }, 'consents_per_minute is 9, the contract says 10'],
  ])('below the contract prevents the start: %o', async (changed, message) => {
    await expect(start(changed)).rejects.toThrow(`the contract differs from this service: limit: ${message}`);
    await expect.poll(sessions).toBe(0);
  });

  it('above the contract is accepted', async () => {
    const { url } = await start({ requestsPerMinute: 601, consentsPerMinute: 11 });
    expect((await fetch(`${url}/contracts/v1`)).status).toBe(200);
  });
});

describe('a service behind HTTPS', () => {
  const publicUrl = 'https://taste.example';

  it("rejects consumers on the user's own machine", async () => {
    await expect(start({ publicUrl })).rejects.toThrow(
      "the contract cannot be served over https: local: the origin http://127.0.0.1:8082 is on the user's own machine; set TASTE_CONTRACT to a contract of your consumers",
    );
  });

  it('logs a warning if it runs behind a proxy without an HTTPS address', async () => {
    const { app, other } = TEST_CONSUMERS;
    const warnings = async (changed: Partial<TasteServiceOptions>): Promise<string[]> => {
      const lines: string[] = [];
      const heard = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
      await start({ contract: contractWith(app, other), log: heard, ...changed });
      return lines.map((line) => JSON.parse(line).msg);
    };
    expect(await warnings({ trustProxy: '127.0.0.1' })).toEqual([
      'TASTE_URL is no https address: cookies are sent without Secure, and responses without Strict-Transport-Security',
    ]);
    expect(await warnings({ trustProxy: '127.0.0.1', publicUrl })).toEqual([]);
    expect(await warnings({})).toEqual([]);
  });
});

it('reports a port that is in use', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  await expect(start({ port })).rejects.toThrow(
    `port ${port} on 127.0.0.1 is in use; choose another one with TASTE_PORT`,
  );
});

it('finishes the requests in flight when it stops', async () => {
  const service = await start();
  // The timer that closes connections by force never fires.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const holder = await pool.connect();
  await holder.query('begin; lock table taste.token in access exclusive mode');
  const slow = fetch(`${service.url}/api/v1/me/profile`, { headers: { authorization: 'Bearer x' } });
  await expect.poll(() => lockWaiters(pool)).toBe(1);
  const stopped = service.stop();
  await expect(fetch(`${service.url}/contracts/v1`)).rejects.toThrow();
  await holder.query('rollback');
  holder.release();
  expect((await slow).status).toBe(401);
  await stopped;
  await expect.poll(sessions).toBe(0);
});

it('responds 400 to a malformed request, without CORS headers', async () => {
  const { url } = await start();
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    received += data;
  });
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'close');
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toContain('HTTP/1.1 400 Bad Request\r\n');
  expect(head).toContain('cache-control: no-store');
  expect(head).not.toContain('access-control-allow-origin');
  expect(JSON.parse(body)).toEqual({ error: { code: 'malformed_request' } });
});

it('serves metrics and readiness on a separate port', async () => {
  const lines: string[] = [];
  const heard = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const { url } = await start({ operations: { port: 0, host: '127.0.0.1' }, log: heard });
  const served = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'serving operations');
  await fetch(`${url}/connect?service=scrobbler&return=https://evil.example`);
  const ready = await fetch(`${served.url}/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  const text = await (await fetch(`${served.url}/metrics`)).text();
  expect(text).toContain('linernotes_taste_events_total{event="connect refused"} 1');
  expect(text).toContain('linernotes_http_request_seconds_count{route="/connect",status="400"} 1');
  expect(text).toContain('linernotes_pool_connections{pool="taste",state="waiting"} 0');
  await services[0]?.stop();
  await expect(fetch(`${served.url}/ready`)).rejects.toThrow();
});

it('responds 408 to a body that arrives too slowly, and logs no failure', async () => {
  const lines: string[] = [];
  const app = tasteApp(pool, {
    arrival: { headersMs: 200, requestMs: 400 },
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  });
  onTestFinished(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { socket, responses } = openRaw((app.server.address() as AddressInfo).port);
  const head = 'Host: taste.test\r\nContent-Type: application/json\r\nContent-Length: 100';
  socket.write(`POST /api/v1/me/token HTTP/1.1\r\n${head}\r\n\r\n{`);
  const dripping = setInterval(() => socket.write(' '), 20);
  const [response] = await responses.finally(() => clearInterval(dripping));
  expect([response?.status, response?.body]).toEqual([408, '{"error":{"code":"request_timeout"}}']);
  expect(lines).toEqual([]);
});
