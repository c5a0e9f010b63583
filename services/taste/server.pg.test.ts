import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withDatabase } from '../../test/services/database.ts';
import { TASTE_SECRET } from '../../test/taste-app.ts';
import { contractWith, TEST_CONSUMERS, testContract } from '../../test/taste-contract.ts';
import { startTasteService, type TasteService, type TasteServiceOptions } from './server.ts';

const { pool, url: databaseUrl } = withDatabase();
const log = pino({ level: 'silent' });
const services: TasteService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

async function start(changed: Partial<TasteServiceOptions> = {}): Promise<TasteService> {
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
  it('is a page to browsers and JSON to all others', async () => {
    const { url } = await start();
    const ask = (path: string, accept?: string) =>
      fetch(`${url}${path}`, {
        redirect: 'manual',
        ...(accept === undefined ? {} : { headers: { accept } }),
      });
    for (const answer of [
      await ask('/contracts/v1'),
      await ask('/contracts/v1', 'application/json'),
      await ask('/contracts/v1.json', 'text/html'),
    ]) {
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await answer.json()).toEqual(testContract);
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

  it('that promises anything else keeps the service from starting, and it holds nothing then', async () => {
    const contract = { ...testContract, limits: testContract.limits.slice(1) };
    await expect(start({ contract })).rejects.toThrow(
      'the contract is not of this service: limit: connect_code_lifetime is not in the contract',
    );
    await vi.waitUntil(async () => (await sessions()) === 0);
  });
});

describe('what the contract does not allow for', () => {
  it.each([
    [{ requestsPerMinute: 599 }, 'requests_per_minute is 599, the contract says 600'],
    [{ consentsPerMinute: 9 }, 'consents_per_minute is 9, the contract says 10'],
  ])('is a limit that is narrower: %o', async (changed, message) => {
    await expect(start(changed)).rejects.toThrow(`the contract is not of this service: limit: ${message}`);
    await vi.waitUntil(async () => (await sessions()) === 0);
  });

  it('is not one that is wider', async () => {
    const { url } = await start({ requestsPerMinute: 601, consentsPerMinute: 11 });
    expect((await fetch(`${url}/contracts/v1`)).status).toBe(200);
  });
});

describe('a service that browsers reach by https', () => {
  const publicUrl = 'https://taste.example';

  it('serves no consumer that is on the own machine of its users', async () => {
    await expect(start({ publicUrl })).rejects.toThrow(
      "the contract is none to serve by https: local: the origin http://127.0.0.1:8082 is on the user's own machine; set TASTE_CONTRACT to one of your consumers",
    );
  });

  it('is warned of where it does not know that it is one', async () => {
    const { app, other } = TEST_CONSUMERS;
    const warnings = async (changed: Partial<TasteServiceOptions>): Promise<string[]> => {
      const lines: string[] = [];
      const heard = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
      await start({ contract: contractWith(app, other), log: heard, ...changed });
      return lines.map((line) => JSON.parse(line).msg);
    };
    expect(await warnings({ trustProxy: '127.0.0.1' })).toEqual([
      'TASTE_URL is no https address: cookies are sent without Secure, and browsers are not told to stay with https',
    ]);
    expect(await warnings({ trustProxy: '127.0.0.1', publicUrl })).toEqual([]);
    expect(await warnings({})).toEqual([]);
  });
});

it('says that the port is in use', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  await expect(start({ port })).rejects.toThrow(
    `port ${port} on 127.0.0.1 is in use; choose another one with TASTE_PORT`,
  );
});

it('stops with requests under way answered', { timeout: 10_000 }, async () => {
  const service = await start();
  const holder = await pool.connect();
  await holder.query('begin; lock table taste.token in access exclusive mode');
  const slow = fetch(`${service.url}/api/v1/me/profile`, { headers: { authorization: 'Bearer x' } });
  await vi.waitUntil(async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return (rowCount ?? 0) > 0;
  });
  const stopped = service.stop();
  await expect(fetch(`${service.url}/contracts/v1`)).rejects.toThrow();
  await holder.query('rollback');
  holder.release();
  expect((await slow).status).toBe(401);
  await stopped;
  await vi.waitUntil(async () => (await sessions()) === 0);
});

it('answers what is no request, without a page being told whose it is', async () => {
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

it('serves metrics and readiness on a port of their own', async () => {
  const lines: string[] = [];
  const heard = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const { url } = await start({ operations: { port: 0, host: '127.0.0.1' }, log: heard });
  const served = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'operations are served');
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
