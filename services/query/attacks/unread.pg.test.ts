import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw } from '../../../test/support/http/raw-http.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { openConnections } from '../../http/connections.ts';
import {
  type ClientCaps,
  DEFAULT_CLIENT_CAPS,
  type InFlightRequests,
  openInFlight,
} from '../../http/in-flight.ts';
import { anyLoad } from '../../http/load-limit.ts';

const MOST = 200;
const CONNECTIONS = 8;
const PIPELINED = 32;
const service = withQueryService();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface Served {
  readonly app: FastifyInstance;
  readonly all: InFlightRequests;
  readonly port: number;
}

async function serve(changed: {
  readonly caps?: Partial<ClientCaps>;
  readonly deadlineMs?: number;
  readonly stallMs?: number;
  readonly most?: number;
  readonly perTurn?: number;
}): Promise<Served> {
  const { deadlineMs, stallMs = 3_600_000, most = MOST, perTurn = Number.POSITIVE_INFINITY } = changed;
  const caps = { ...DEFAULT_CLIENT_CAPS, ...changed.caps };
  const all = openInFlight({ deadlineMs, caps, connections: openConnections({ stallMs, perTurn }) });
  const load = { ...anyLoad, admits: (inFlight: number) => inFlight <= most };
  const limits = { perKey: 60_000, perAddress: 1_000_000 };
  const app = await service.open({ inFlight: all, load, limits, trustProxy: '127.0.0.1' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, all, port: (app.server.address() as AddressInfo).port };
}

/** Pipelines requests for a large document, more than the kernel keeps, and reads nothing of the responses. */
async function neverRead(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  sockets.push(socket);
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  pipeline(socket);
  return socket;
}

const pipeline = (socket: Socket): boolean =>
  socket.write('GET /api/v2/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(PIPELINED));

const neverReads = (port: number): Promise<Socket[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => neverRead(port)));

function pipelineAll(unread: readonly Socket[]): void {
  for (const socket of unread) if (!socket.destroyed) pipeline(socket);
}

/** Pipelines more and more, until the connections hold so many slots for good. */
async function fill(all: InFlightRequests, port: number, slots: number): Promise<void> {
  const unread = await neverReads(port);
  let rounds = 0;
  await expect
    .poll(() => {
      pipelineAll(unread);
      rounds = all.count() === slots ? rounds + 1 : 0;
      return rounds;
    })
    .toBe(20);
}

async function statusOf(
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const lines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const [response] = await sendRaw(port, `GET /api/v2/artists HTTP/1.1\r\n${lines.join('')}\r\n`);
  return response?.status;
}

describe('connections that never read', () => {
  it('hold the slots of one address at most, so that others are served', async () => {
    const { all, port } = await serve({ caps: { perAddress: 10 } });
    await fill(all, port, 10);
    // Without a key, from another address and from the same one; then with a key.
    expect(await statusOf(port, { 'x-forwarded-for': '192.0.2.1' })).toBe(401);
    expect(await statusOf(port, {})).toBe(429);
    expect(await statusOf(port, { ...service.key(), 'x-forwarded-for': '192.0.2.1' })).toBe(200);
    expect(all.count()).toBe(10);
  });

  it('hold the slots of one connection at most', async () => {
    const { all, port } = await serve({ caps: { perConnection: 2 } });
    await fill(all, port, 2 * CONNECTIONS);
    expect(await statusOf(port, service.key())).toBe(200);
  });

  it('are closed below the minimum throughput', async () => {
    const { all, port } = await serve({ stallMs: 50, deadlineMs: 3_600_000 });
    const unread = await neverReads(port);
    await expect.poll(() => pipelineAll(unread) ?? all.connections.closed('unread')).toBe(CONNECTIONS);
    await expect.poll(all.count).toBe(0);
    expect(await statusOf(port, service.key())).toBe(200);
  });

  it('are closed after the deadline', async () => {
    // Without caps, so that every unread response belongs to a request with a deadline: a rejected one has none.
    const most = Number.POSITIVE_INFINITY;
    const { all, app, port } = await serve({
      most,
      caps: { perConnection: most, perAddress: most },
      deadlineMs: 100,
    });
    const unread = await neverReads(port);
    const open = () => promisify(app.server.getConnections.bind(app.server))();
    await expect.poll(all.count).toBeGreaterThan(0);
    await expect.poll(() => pipelineAll(unread) ?? open()).toBe(0);
    await expect.poll(all.count).toBe(0);
    expect(all.connections.closed('unread')).toBe(0);
    expect(await statusOf(port, service.key())).toBe(200);
  });
});

it('a client that reads everything gets every response', async () => {
  const { all, port } = await serve({ stallMs: 1_000 });
  const responses = await sendRaw(
    port,
    `${'GET /api/v2/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)}GET /api/v2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 21 }, () => 200));
  await expect.poll(all.count).toBe(0);
});

describe('requests that a connection pipelines into one turn', () => {
  const many = (requests: number) => 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests);

  it('are dropped beyond a number, and the connection ends with what says so', async () => {
    const { all, port } = await serve({ perTurn: 10 });
    const responses = await sendRaw(port, many(1_000));
    // A write may arrive in several parts.
    expect(responses.length).toBeLessThan(100);
    expect(responses.at(-1)?.status).toBe(429);
    expect(responses.at(-1)?.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect(all.connections.closed('pipelined')).toBe(1);
    expect(await statusOf(port, service.key())).toBe(200);
  });

  it('are all served up to that number, on a connection that stays open', async () => {
    const { all, port } = await serve({ perTurn: 10 });
    const last = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const responses = await sendRaw(port, many(9) + last);
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 404));
    expect(all.connections.closed('pipelined')).toBe(0);
  });
});

it('says nothing of a time that an idle connection is kept, which depends on its client', async () => {
  const { port } = await serve({});
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  expect(response.headers.get('keep-alive')).toBeNull();
});
