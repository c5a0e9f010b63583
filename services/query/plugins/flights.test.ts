import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestIdOf } from '../../http/request-id.ts';
import type { ApiError } from '../errors.ts';
import { type Flights, openFlights } from '../serving/flights.ts';
import { anyLoad, type LoadLimit } from '../serving/load-limit.ts';
import { answerHead } from './answer-head.ts';
import { errors } from './errors.ts';
import { flights } from './flights.ts';

const BASE_URL = 'https://api.example';
const apps: FastifyInstance[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const app of apps.splice(0)) await app.close();
});

interface Opened {
  readonly app: FastifyInstance;
  readonly flights: Flights;
  readonly metrics: Registry;
  /** Lets the requests to /held be answered. */
  release(): void;
  readonly port: number;
}

/** A service of three routes, one of which answers only when it is let. */
async function open(changed: { deadlineMs?: number; load?: LoadLimit } = {}): Promise<Opened> {
  const app = fastify({ logger: false, genReqId: requestIdOf, return503OnClosing: false });
  apps.push(app);
  const all = openFlights({ deadlineMs: changed.deadlineMs });
  const metrics = new Registry();
  const held = Promise.withResolvers<void>();
  app.register(flights, { flights: all, load: changed.load ?? anyLoad, baseUrl: () => BASE_URL, metrics });
  app.register(answerHead, { trustsProxy: false });
  app.register(errors, { baseUrl: () => BASE_URL, log: pino({ level: 'silent' }) });
  app.register(async (routes) => {
    routes.get('/quick', () => ({ left: all.leftMs() !== null }));
    routes.get('/health', { config: { isNeverShed: true } }, () => 'ok');
    const answerError = (reply: Parameters<typeof routes.errorHandler>[2], error: ApiError) =>
      reply.code(error.status).send({ error: error.code });
    routes.get('/own-errors', { config: { answerError } }, () => 'ok');
    routes.route({
      method: ['GET', 'POST'],
      url: '/held',
      handler: async () => {
        await held.promise;
        return 'held';
      },
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { app, flights: all, metrics, release: held.resolve, port };
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes in until the socket is closed. */
async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  await once(socket, 'close');
  return text;
}

const full: LoadLimit = { ...anyLoad, admits: (underWay) => underWay < 1, current: () => 1 };

describe('what is under way', () => {
  it('is counted until it is answered', async () => {
    const { flights: all, release, port } = await open();
    const held = [1, 2].map(() => fetch(`http://127.0.0.1:${port}/held`));
    await vi.waitUntil(() => all.count() === 2);
    release();
    for (const answer of await Promise.all(held)) expect(await answer.text()).toBe('held');
    await vi.waitUntil(() => all.count() === 0);
  });

  it('ends with its connection, also where it waits behind others on it', async () => {
    const { flights: all, port } = await open();
    const socket = await connectTo(port);
    socket.write(
      'GET /held HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2) +
        'POST /held HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    );
    await vi.waitUntil(() => all.count() === 3);
    const later = await connectTo(port);
    later.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await vi.waitUntil(() => all.count() === 4);
    socket.destroy();
    await vi.waitUntil(() => all.count() === 1);
  });

  it('gives its place back once, be it held before or after it ended', () => {
    const all = openFlights();
    let given = 0;
    const place = { release: () => given++ };
    const request = { socket: new EventEmitter() } as unknown as FastifyRequest;
    const flight = all.enter(request, {} as FastifyReply);
    all.hold(flight, place);
    expect([given, all.count()]).toEqual([0, 1]);
    all.end(flight);
    all.end(flight);
    expect([given, all.count()]).toEqual([1, 0]);
    all.hold(flight, place);
    expect(given).toBe(2);
    all.stop();
  });
});

describe('shedding', () => {
  it('answers at once in the envelope, with the id of the request and for any origin', async () => {
    const { port, release, flights: all, metrics } = await open({ load: full });
    const held = fetch(`http://127.0.0.1:${port}/held`);
    await vi.waitUntil(() => all.count() === 1);
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`http://127.0.0.1:${port}/quick`, {
        method,
        headers: { 'x-request-id': 'find-me' },
      });
      expect(answer.status).toBe(503);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'x-request-id': 'find-me',
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
      const text = await answer.text();
      if (method === 'HEAD') expect(text).toBe('');
      else
        expect(JSON.parse(text)).toEqual({
          error: 'overloaded',
          message: 'The service has more requests under way than it can answer in time.',
          hint: 'Wait retry_after_seconds, then send the same request again; send fewer at once.',
          doc_url: `${BASE_URL}/docs/api#error-overloaded`,
          retry_after_seconds: 1,
        });
    }
    release();
    await held;
    await vi.waitUntil(() => all.count() === 0);
    expect((await fetch(`http://127.0.0.1:${port}/quick`)).status).toBe(200);
    const text = await metrics.metrics();
    expect(text).toContain('linernotes_requests_shed_total 2');
    expect(text).toContain('linernotes_requests_under_way_limit 1');
    expect(text).toContain('linernotes_event_loop_delay_seconds 0');
    expect(text).toMatch(/^linernotes_requests_under_way [01]$/m);
  });

  it('spares health, and leaves errors to routes with a form of their own', async () => {
    const none: LoadLimit = { ...anyLoad, admits: () => false };
    const { app } = await open({ load: none });
    expect((await app.inject('/health')).statusCode).toBe(200);
    const own = await app.inject('/own-errors');
    expect([own.statusCode, own.json()]).toEqual([503, { error: 'overloaded' }]);
    expect((await app.inject('/quick')).statusCode).toBe(503);
    expect((await app.inject({ method: 'POST', url: '/held', payload: { a: 1 } })).statusCode).toBe(503);
  });
});

describe('the deadline', () => {
  it.each(['GET', 'POST'])('answers %s requests that nobody else does', async (method) => {
    const { port, flights: all } = await open({ deadlineMs: 50 });
    const answer = await fetch(`http://127.0.0.1:${port}/held`, {
      method,
      ...(method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}),
    });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: 'deadline_exceeded' });
    await vi.waitUntil(() => all.count() === 0);
  });

  it('is known to what is done in the name of a request, and to nothing else', async () => {
    const { app, flights: all } = await open();
    expect((await app.inject('/quick')).json()).toEqual({ left: true });
    expect(all.leftMs()).toBeNull();
  });
});

describe('closing', () => {
  it('announces the end of the connection with the last answer on it', async () => {
    const { app, port, flights: all, release } = await open();
    const alone = await connectTo(port);
    const shared = await connectTo(port);
    const texts = [textOf(alone), textOf(shared)];
    for (const socket of [alone, shared]) socket.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await vi.waitUntil(() => all.count() === 2);
    const closed = app.close();
    await vi.waitUntil(() => !app.server.listening);
    shared.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await vi.waitUntil(() => all.count() === 3);
    release();
    const [first = '', second = ''] = await Promise.all(texts);
    expect(first.match(/^(?:HTTP|connection).*$/gim)).toEqual(['HTTP/1.1 200 OK', 'connection: close']);
    expect(second.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(second.match(/^connection: close$/gim)).toHaveLength(1);
    expect(second.lastIndexOf('HTTP/1.1')).toBeLessThan(second.search(/^connection: close$/im));
    await closed;
  });
});
