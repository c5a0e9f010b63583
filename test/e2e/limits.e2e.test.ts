import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { Redis } from 'ioredis';
import { type Logger, pino } from 'pino';
import { Registry as Metrics } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { networkLevels, networkOf } from '../../services/http/client-network.ts';
import { type LimitStore, openLimitStore } from '../../services/http/limits/limit-store.ts';
import { type RatePolicy, ratePolicy } from '../../services/http/limits/policy.ts';
import { sharedSlidingWindow } from '../../services/http/limits/shared-sliding-window.ts';
import { type SlidingWindow, slidingWindow } from '../../services/http/limits/sliding-window.ts';
import { networkPolicies } from '../../services/http/limits/tiers.ts';
import {
  type Counter,
  memoryWindows,
  type RateWindows,
  redisWindows,
} from '../../services/http/limits/windows.ts';
import type { QueryParts } from '../../services/query/parts.ts';
import { fillMirror } from '../support/ingest/fill-mirror.ts';
import { pollUntil } from '../support/poll.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { keyHeader, queryApp } from '../support/query/app.ts';
import { rowsOf } from '../support/rows/source-rows.ts';
import { type BreakableLink, breakableLink } from '../support/services/breakable-link.ts';
import { withDatabase } from '../support/services/database.ts';
import { uniquePrefix } from '../support/services/kafka.ts';

const { pool } = withDatabase();
/** A window that no test sees the end of. */
const AGE_MS = 1e12;
const DOSSIER = '/api/v2/artist/mono';

const apps: FastifyInstance[] = [];
const stores: LimitStore[] = [];
let redis: Redis;
let prefix: string;

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  for (const projection of projections) await rebuild(pool, projection, registry);
  redis = new Redis(inject('redisUrl'));
  prefix = uniquePrefix();
});
afterAll(() => redis.quit());
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  for (const store of stores.splice(0)) store.stop();
  prefix = uniquePrefix();
});

interface StoreChanges {
  readonly url?: string;
  readonly log?: Logger;
  readonly replyMs?: number;
}

/** More patient than a service, so that a slow machine does not count as an unavailable Redis. */
async function openStore(changed: StoreChanges = {}): Promise<LimitStore> {
  const store = await openLimitStore({
    url: inject('redisUrl'),
    prefix,
    log: pino({ level: 'silent' }),
    replyMs: 20_000,
    ...changed,
  });
  stores.push(store);
  return store;
}

async function openRunningStore(changed: StoreChanges = {}): Promise<LimitStore> {
  const store = await openStore(changed);
  await pollUntil(() => store.isUp());
  return store;
}

/** An app with a connection of its own, as another process would have. */
async function open(limits: Partial<QueryParts['limits']>, changed: Partial<QueryParts> = {}) {
  const limitStore = changed.limitStore ?? (await openRunningStore());
  const app = await queryApp(pool, {
    limits: { perKey: 1_000, perAddress: 1_000, windowMs: AGE_MS, ...limits },
    limitStore,
    ...changed,
  });
  apps.push(app);
  return { app, store: limitStore };
}

const two = async (limits: Partial<QueryParts['limits']>): Promise<FastifyInstance[]> => [
  (await open(limits)).app,
  (await open(limits)).app,
];

/** Sends concurrent requests to the apps in turn. */
const flood = (services: readonly FastifyInstance[], count: number, request: InjectOptions) =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const service = services[at % services.length];
      if (service === undefined) throw new Error('there is no app');
      return service.inject(request);
    }),
  );

const allowed = (answers: readonly LightMyRequestResponse[]) =>
  answers.filter(({ statusCode }) => statusCode !== 429);

/** What is left, as each of the answers says. */
const left = (answers: readonly LightMyRequestResponse[]) =>
  allowed(answers)
    .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    .sort((a, b) => b - a);

const countdown = (from: number): number[] => Array.from({ length: from }, (_, at) => from - 1 - at);

describe('two processes on one Redis', () => {
  it('allow a key exactly its limit, and report it', async () => {
    const services = await two({ perKey: 37 });
    const headers = await keyHeader(pool);
    const answers = await flood(services, 60, { url: DOSSIER, headers });
    expect(left(answers)).toEqual(countdown(37));
    const rejected = answers.filter(({ statusCode }) => statusCode === 429);
    expect(rejected).toHaveLength(23);
    for (const { headers: given } of rejected) {
      const seconds = Number(given['retry-after']);
      expect(given).toMatchObject({
        'x-ratelimit-limit': '37',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String((Math.floor(Date.now() / AGE_MS) + 1) * (AGE_MS / 1_000)),
        ratelimit: `"default";r=0;t=${seconds}`,
      });
      expect(Math.abs(Date.now() / 1_000 + seconds - Number(given['x-ratelimit-reset']))).toBeLessThan(60);
    }
    const other = await keyHeader(pool);
    expect(left(await flood(services, 3, { url: DOSSIER, headers: other }))).toEqual([36, 35, 34]);
  });

  it('count addresses and failed authentications together', async () => {
    const services = await two({ perAddress: 5 });
    expect(left(await flood(services, 9, { url: '/api/v2' }))).toEqual(countdown(5));
    const failed = await flood(services, 9, { url: DOSSIER, headers: { 'x-api-key': 'nonsense' } });
    expect(failed.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    expect(failed.filter(({ statusCode }) => statusCode === 429)).toHaveLength(4);
  });

  it('count a request in all its windows with one command', async () => {
    const { app, store } = await open({});
    const ask = (url: string, remoteAddress: string) => app.inject({ url, remoteAddress });
    for (const [url, status] of [
      ['/api/v2', 200],
      [DOSSIER, 401],
      ['/api/v2/preview/artist?q=mono', 200],
    ] as const) {
      // The first one loads the script.
      await ask(url, '192.0.2.1');
      const sent = vi.spyOn(store.client, 'sendCommand');
      expect((await ask(url, '192.0.2.2')).statusCode).toBe(status);
      expect(sent.mock.calls.map(([{ name }]) => name)).toEqual(['evalsha']);
      sent.mockRestore();
    }
  });

  it.each([
    ['an IPv6 /48', (index: number) => `2001:db8:7:${index}::1`, '2001:db8:8::1'],
    ['an IPv4 /24', (index: number) => `192.0.2.${index}`, '192.0.3.1'],
  ])('count all networks of %s together', async (_name, addressOf, other) => {
    const services = await two({ perAddress: 1 });
    const ask = async (index: number, remoteAddress: string) =>
      (await services[index % 2]?.inject({ url: '/api/v2', remoteAddress }))?.statusCode;
    for (let index = 1; index <= 10; index++) expect(await ask(index, addressOf(index))).toBe(200);
    expect(await ask(0, addressOf(11))).toBe(429);
    expect(await ask(1, other)).toBe(200);
  });

  it('count a tier and a group of routes together', async () => {
    const services = await two({ perKey: 10 });
    const trial = await Promise.all(Array.from({ length: 12 }, () => keyHeader(pool, 'trial')));
    const answers = await Promise.all(
      trial.map((headers, at) => services[at % 2]?.inject({ url: DOSSIER, headers })),
    );
    expect(answers.filter((answer) => answer?.statusCode === 200)).toHaveLength(10);
    for (const answer of answers)
      if (answer?.statusCode === 429) expect(answer.headers.ratelimit).toMatch(/^"tier";r=0;/);
    const headers = await keyHeader(pool, 'unlimited');
    const wide = await two({ perKey: 1_000 });
    const group = await flood(wide, 4, { url: '/api/v2/tracks/resolve?title=a', headers });
    expect(group.map(({ headers: given }) => given['x-ratelimit-limit'])).toEqual(Array(4).fill('60000'));
    expect(left(group)).toEqual([59_999, 59_998, 59_997, 59_996]);
  });

  it('share the concurrency limit of a key', async () => {
    const services = await two({ concurrencyPerKey: 3 });
    const headers = await keyHeader(pool);
    const held: PromiseWithResolvers<string>[] = [];
    for (const service of services)
      service.get('/api/v2/held', () => {
        const one = Promise.withResolvers<string>();
        held.push(one);
        return one.promise;
      });
    let rejected = 0;
    const pending = Array.from({ length: 8 }, async (_, at) => {
      const answer = await services[at % 2]?.inject({ url: '/api/v2/held', headers });
      if (answer?.statusCode === 429) rejected++;
      return answer?.statusCode;
    });
    await pollUntil(() => held.length === 3 && rejected === 5);
    held[0]?.resolve('first');
    // The other process admits the next request when the slot is free.
    let next: Promise<LightMyRequestResponse> | undefined;
    await pollUntil(async () => {
      const asked = services[1]?.inject({ url: '/api/v2/held', headers });
      const isIn = pollUntil(() => held.length >= 4);
      if ((await Promise.race([asked, isIn])) !== true) return false;
      next = asked;
      return true;
    });
    for (const { resolve } of held) resolve('rest');
    expect((await Promise.all(pending)).filter((status) => status === 200)).toHaveLength(3);
    expect([held.length, rejected]).toEqual([4, 5]);
    expect((await next)?.statusCode).toBe(200);
    await untilNoSlots(headers);
  });

  it('free the slots of a process that was killed', async () => {
    const { app } = await open({ concurrencyPerKey: 2 });
    const headers = await keyHeader(pool);
    const slots = slotsOf(headers);
    await redis.hset(slots, 'alive', `2:${Date.now() + 10_000}`);
    expect((await app.inject({ url: DOSSIER, headers })).statusCode).toBe(429);
    await redis.hset(slots, 'alive', `2:${Date.now() - 1}`);
    expect((await app.inject({ url: DOSSIER, headers })).statusCode).toBe(200);
  });

  it('report the limits of a key without counting the request', async () => {
    const services = await two({ perKey: 100, concurrencyPerKey: 20 });
    const headers = await keyHeader(pool, 'trial');
    await services[0]?.inject({ url: '/api/v2/tracks/resolve?title=a', headers });
    await services[1]?.inject({ url: DOSSIER, headers });
    await untilNoSlots(headers);
    const answer = await services[0]?.inject({ url: '/api/v2/usage', headers });
    expect(answer?.json().limits).toMatchObject({
      requests: { limit: 10, remaining: 7 },
      track_resolve: { limit: 60, remaining: 59 },
      tier: { limit: 100, remaining: 97 },
      concurrency: { limit: 2, under_way: 1 },
    });
  });

  it('count previews together, and no more than a hundred of one network', async () => {
    const services = await two({});
    const request = { url: '/api/v2/preview/artist?q=mono', remoteAddress: '192.0.2.9' };
    const answers = await flood(services, 120, request);
    expect(left(answers)).toEqual(countdown(100));
    const rejected = answers.find(({ statusCode }) => statusCode === 429);
    expect(rejected?.headers).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
      'ratelimit-policy':
        '"preview";q=100;w=3600, "preview-site";q=1000;w=3600, "preview-block";q=10000;w=3600',
    });
    expect(Number(rejected?.headers['retry-after'])).toBeGreaterThan(3_500);
  });
});

/** The Redis key of a key's slots. */
const slotsOf = (headers: { 'x-api-key': string }): string =>
  `{${prefix}:limits}:slots:${headers['x-api-key'].slice(8, 18)}`;

const untilNoSlots = (headers: { 'x-api-key': string }) =>
  pollUntil(async () => (await redis.hlen(slotsOf(headers))) === 0);

describe('windows', () => {
  it('restart by the clock of Redis', async () => {
    const { app } = await open({ perKey: 2, windowMs: 1_000 }, { clock: { steady: () => 0, wall: () => 0 } });
    const headers = await keyHeader(pool);
    const ask = async () => (await app.inject({ url: DOSSIER, headers })).statusCode;
    await pollUntil(async () => (await ask()) === 429);
    await pollUntil(async () => (await ask()) === 200);
  });

  it('slide, and do not count rejected requests', async () => {
    const policies = [ratePolicy('test', 2, 400), ratePolicy('test-site', 3, 400)];
    const window = sharedSlidingWindow(await openRunningStore(), policies);
    const take = async (...networks: string[]) => (await window.take(networks)).state;
    const inSite = (network: string) => take(network, 's');
    expect(await inSite('a')).toMatchObject({ isAllowed: true, limit: 2, remaining: 1 });
    expect(await inSite('a')).toMatchObject({ isAllowed: true, limit: 2, remaining: 0 });
    expect(await inSite('a')).toMatchObject({
      isAllowed: false,
      limit: 2,
      remaining: 0,
      retryAfterSeconds: 1,
    });
    expect(await inSite('b')).toMatchObject({ isAllowed: true, limit: 3, remaining: 0 });
    expect(await inSite('c')).toMatchObject({ isAllowed: false, limit: 3, remaining: 0 });
    expect(await take('192.0.2.1')).toMatchObject({ isAllowed: true, remaining: 1 });
    await pollUntil(async () => (await inSite('a')).isAllowed);
  });

  it('count a request in Redis as in a process, on all levels', async () => {
    const policies = networkPolicies('test', 3, AGE_MS);
    const clock = { steady: Date.now, wall: Date.now };
    const shared = redisWindows(await openRunningStore(), {
      add: () => Promise.reject(new Error('Redis is unavailable')),
    });
    const local = memoryWindows(clock);
    const counted = async (windows: RateWindows, counters: Counter[], requests: number) =>
      (await windows.add(counters, requests)).map(({ before }) => before);
    for (let request = 0; request < 400; request++) {
      const networks = networkLevels(networkOf(`192.0.${Math.floor(request / 90)}.${request % 15}`));
      const counters = networks.map((subject, level) => ({ subject, policy: policies[level] as RatePolicy }));
      const requests = request % 3;
      expect(await counted(shared, counters, requests), `${request}`).toEqual(
        await counted(local, counters, requests),
      );
    }
  });

  it('slide in Redis as in a process, on all levels, with one entry for each bucket', async () => {
    const policies = networkPolicies('test', 3, AGE_MS);
    const shared = sharedSlidingWindow(await openRunningStore(), policies);
    const local = slidingWindow({ policies, clock: { steady: Date.now, wall: Date.now } });
    const shown = async ({ take }: SlidingWindow, networks: string[]) => {
      const { state, policy } = await take(networks);
      return [policy.name, state.isAllowed, state.limit, state.remaining];
    };
    for (let visit = 0; visit < 400; visit++) {
      // Six visits of a network, so three are rejected; 15 networks of a site; the block is full at the end.
      const networks = networkLevels(networkOf(`192.0.${Math.floor(visit / 90)}.${visit % 15}`));
      expect(await shown(shared, networks), `${visit}`).toEqual(await shown(local, networks));
    }
    expect(await redis.hlen(`{${prefix}:limits}:previews:192.0.0.0/16`)).toBeLessThanOrEqual(2);
  });
});

describe('an unavailable Redis', () => {
  let link: BreakableLink;
  afterEach(async () => {
    await link.cut();
  });

  async function openLinked(replyMs = 20_000) {
    link = await breakableLink(inject('redisUrl'));
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
    const store = await openRunningStore({ url: link.through(inject('redisUrl')), log, replyMs });
    const metrics = new Metrics();
    const { app } = await open({ perKey: 50 }, { limitStore: store, metrics, log });
    const headers = await keyHeader(pool);
    const ask = () => app.inject({ url: DOSSIER, headers });
    const preview = () => app.inject({ url: '/api/v2/preview/artist?q=mono', remoteAddress: '192.0.2.10' });
    const said = (start: string) => lines.filter(({ msg }) => msg.startsWith(start)).length;
    return { app, ask, preview, metrics, said, store };
  }

  it('leaves keyed routes available, rejects previews, and is reported', async () => {
    const { app, ask, preview, metrics, said, store } = await openLinked();
    expect([(await ask()).statusCode, (await preview()).statusCode]).toEqual([200, 200]);
    expect(await metrics.metrics()).toContain('linernotes_limit_store_up 1');
    expect((await app.inject('/ready')).json()).toEqual({ status: 'ready' });
    await link.cut();
    const answers = await Promise.all(Array.from({ length: 30 }, ask));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200));
    for (const { headers } of answers) expect(headers.ratelimit).toMatch(/^"default";r=\d+;t=\d+$/);
    const rejected = await preview();
    expect(rejected.statusCode).toBe(503);
    expect(rejected.json()).toMatchObject({ error: 'preview_unavailable', retry_after_seconds: 5 });
    expect(store.isUp()).toBe(false);
    expect(await metrics.metrics()).toContain('linernotes_limit_store_up 0');
    const ready = await app.inject('/ready');
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      {
        status: 'ready',
        degraded: [
          {
            what: 'shared limits',
            since: expect.stringMatching(/^\d{4}-/),
            detail: 'Redis does not respond: each process counts by itself, and rejects previews',
          },
        ],
      },
    ]);
    await link.mend();
    await pollUntil(() => store.isUp());
    expect((await preview()).statusCode).toBe(200);
    expect((await app.inject('/ready')).json()).toEqual({ status: 'ready' });
    expect([said('shared limits are unavailable'), said('shared limits are available again')]).toEqual([
      1, 1,
    ]);
  });

  it('leaves each process with its own limits', async () => {
    const { ask } = await openLinked();
    await link.cut();
    const answers: LightMyRequestResponse[] = [];
    for (let times = 0; times < 60; times++) answers.push(await ask());
    expect(allowed(answers)).toHaveLength(50);
  });

  it('that is unavailable at the start is used once it is available', async () => {
    link = await breakableLink(inject('redisUrl'));
    await link.cut();
    const store = await openStore({ url: link.through(inject('redisUrl')) });
    expect(store.isUp()).toBe(false);
    const { app } = await open({}, { limitStore: store });
    const headers = await keyHeader(pool);
    expect((await app.inject({ url: DOSSIER, headers })).statusCode).toBe(200);
    await link.mend();
    await pollUntil(() => store.isUp());
    const { app: other } = await open({});
    await app.inject({ url: DOSSIER, headers });
    const answer = await other.inject({ url: DOSSIER, headers });
    expect(answer.headers['x-ratelimit-remaining']).toBe('998');
  });

  it('that does not respond is considered unavailable', async () => {
    const { ask, store } = await openLinked(250);
    expect((await ask()).statusCode).toBe(200);
    await redis.client('PAUSE', 2_000, 'ALL');
    expect((await ask()).statusCode).toBe(200);
    expect(store.isUp()).toBe(false);
    await pollUntil(() => store.isUp());
  });
});
