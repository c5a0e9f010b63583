import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiError } from '../errors.ts';
import { DEFAULT_WORK_CAPACITY, fairQueue, workLimits } from '../fair-queue.ts';
import { type InFlightRequests, openInFlight } from '../in-flight.ts';
import { anyLoad, type LoadLimit } from '../load-limit.ts';
import { requestIdOf } from '../request-id.ts';
import { errors } from './errors.ts';
import { inFlight } from './in-flight.ts';
import { openResponseHead, responseHead } from './response-head.ts';

const BASE_URL = 'https://api.example';
const apps: FastifyInstance[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const app of apps.splice(0)) await app.close();
});

interface Opened {
  readonly app: FastifyInstance;
  readonly inFlight: InFlightRequests;
  readonly metrics: Registry;
  /** Ends the requests to /pending. */
  release(): void;
  readonly port: number;
}

/** A service of three routes, one of which waits for `release`. */
async function open(changed: { deadlineMs?: number; load?: LoadLimit } = {}): Promise<Opened> {
  const app = fastify({ logger: false, genReqId: requestIdOf, return503OnClosing: false });
  apps.push(app);
  const all = openInFlight({ deadlineMs: changed.deadlineMs });
  const metrics = new Registry();
  const head = openResponseHead();
  const pending = Promise.withResolvers<void>();
  app.register(inFlight, {
    inFlight: all,
    load: changed.load ?? anyLoad,
    queue: fairQueue(workLimits(DEFAULT_WORK_CAPACITY), () => performance.now()),
    keyIdOf: () => null,
    head,
    baseUrl: () => BASE_URL,
    metrics,
  });
  app.register(responseHead, { head, trustsProxy: false });
  app.register(errors, { head, baseUrl: () => BASE_URL, log: pino({ level: 'silent' }) });
  app.register(async (routes) => {
    routes.get('/quick', () => ({ left: all.leftMs() !== null }));
    routes.get('/health', { config: { isNeverShed: true } }, () => 'ok');
    const sendError = (reply: Parameters<typeof routes.errorHandler>[2], error: ApiError) =>
      reply.code(error.status).send({ error: error.code });
    routes.get('/own-errors', { config: { sendError } }, () => 'ok');
    routes.route({
      method: ['GET', 'POST'],
      url: '/pending',
      handler: async () => {
        await pending.promise;
        return 'pending';
      },
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { app, inFlight: all, metrics, release: pending.resolve, port };
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Everything that arrives until the socket is closed. */
async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  await once(socket, 'close');
  return text;
}

const full: LoadLimit = { ...anyLoad, admits: (count) => count < 1, current: () => 1 };

describe('an in-flight request', () => {
  it('is counted until its response', async () => {
    const { inFlight: all, release, port } = await open();
    const pending = [1, 2].map(() => fetch(`http://127.0.0.1:${port}/pending`));
    await expect.poll(all.count).toBe(2);
    release();
    for (const response of await Promise.all(pending)) expect(await response.text()).toBe('pending');
    await expect.poll(all.count).toBe(0);
  });

  it('ends with its connection, even if it waits behind others on it', async () => {
    const { inFlight: all, port } = await open();
    const socket = await connectTo(port);
    socket.write(
      'GET /pending HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2) +
        'POST /pending HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    );
    await expect.poll(all.count).toBe(3);
    const later = await connectTo(port);
    later.write('GET /pending HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(all.count).toBe(4);
    socket.destroy();
    await expect.poll(all.count).toBe(1);
  });

  it('releases its slot once, whether it holds it before or after its end', () => {
    const all = openInFlight();
    let given = 0;
    const place = { release: () => given++ };
    const request = { socket: new EventEmitter(), ip: '192.0.2.1' } as unknown as FastifyRequest;
    const inFlight = all.enter(request, {} as FastifyReply);
    all.hold(inFlight, place);
    expect([given, all.count()]).toEqual([0, 1]);
    all.end(inFlight);
    all.end(inFlight);
    expect([given, all.count()]).toEqual([1, 0]);
    all.hold(inFlight, place);
    expect(given).toBe(2);
    all.stop();
  });
});

describe('shedding', () => {
  it('responds with the envelope, the request id and headers for any origin', async () => {
    const { port, release, inFlight: all, metrics } = await open({ load: full });
    const pending = fetch(`http://127.0.0.1:${port}/pending`);
    await expect.poll(all.count).toBe(1);
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`http://127.0.0.1:${port}/quick`, {
        method,
        headers: { 'x-request-id': 'find-me' },
      });
      expect(response.status).toBe(503);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-request-id': 'find-me',
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
      const text = await response.text();
      if (method === 'HEAD') expect(text).toBe('');
      else
        expect(JSON.parse(text)).toEqual({
          error: 'overloaded',
          message: 'The service has too many concurrent requests.',
          hint: 'Wait retry_after_seconds, then send the same request again; reduce your concurrency.',
          doc_url: `${BASE_URL}/docs/api#error-overloaded`,
          retry_after_seconds: 1,
        });
    }
    release();
    await pending;
    await expect.poll(all.count).toBe(0);
    expect((await fetch(`http://127.0.0.1:${port}/quick`)).status).toBe(200);
    const text = await metrics.metrics();
    expect(text).toContain('linernotes_requests_shed_total 2');
    expect(text).toContain('linernotes_requests_in_flight_limit 1');
    // The old names still work.
    expect(text).toContain('linernotes_requests_under_way_limit 1');
    expect(text).toContain('linernotes_event_loop_delay_seconds 0');
    expect(text).toMatch(/^linernotes_requests_in_flight [01]$/m);
    expect(text).toMatch(/^linernotes_requests_under_way [01]$/m);
  });

  it('never sheds health checks, and lets routes send errors in their own format', async () => {
    const none: LoadLimit = { ...anyLoad, admits: () => false };
    const { app } = await open({ load: none });
    expect((await app.inject('/health')).statusCode).toBe(200);
    const own = await app.inject('/own-errors');
    expect([own.statusCode, own.json()]).toEqual([503, { error: 'overloaded' }]);
    expect((await app.inject('/quick')).statusCode).toBe(503);
    expect((await app.inject({ method: 'POST', url: '/pending', payload: { a: 1 } })).statusCode).toBe(503);
  });
});

describe('the deadline', () => {
  it.each(['GET', 'POST'])('ends %s requests that get no response', async (method) => {
    const { port, inFlight: all } = await open({ deadlineMs: 50 });
    const response = await fetch(`http://127.0.0.1:${port}/pending`, {
      method,
      ...(method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}),
    });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: 'deadline_exceeded' });
    await expect.poll(all.count).toBe(0);
  });

  it('is visible only to the work of a request', async () => {
    const { app, inFlight: all } = await open();
    expect((await app.inject('/quick')).json()).toEqual({ left: true });
    expect(all.leftMs()).toBeNull();
  });
});

describe('closing', () => {
  it('announces the end of a connection with its last response', async () => {
    const { app, port, inFlight: all, release } = await open();
    const alone = await connectTo(port);
    const shared = await connectTo(port);
    const texts = [textOf(alone), textOf(shared)];
    for (const socket of [alone, shared]) socket.write('GET /pending HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(all.count).toBe(2);
    const closed = app.close();
    await expect.poll(() => app.server.listening).toBe(false);
    shared.write('GET /pending HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(all.count).toBe(3);
    release();
    const [first = '', second = ''] = await Promise.all(texts);
    expect(first.match(/^(?:HTTP|connection).*$/gim)).toEqual(['HTTP/1.1 200 OK', 'connection: close']);
    expect(second.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(second.match(/^connection: close$/gim)).toHaveLength(1);
    expect(second.lastIndexOf('HTTP/1.1')).toBeLessThan(second.search(/^connection: close$/im));
    await closed;
  });
});
