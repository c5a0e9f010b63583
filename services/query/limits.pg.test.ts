import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { Registry as Metrics } from 'prom-client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import type { QueryParts } from './parts.ts';

const { pool } = withDatabase();
const NOW = Date.UTC(2026, 0, 1, 0, 0, 20);
const END = String(Date.UTC(2026, 0, 1, 0, 1) / 1_000);
const DOSSIER = '/api/v2/artist/mono';

const apps: FastifyInstance[] = [];
let key: { 'x-api-key': string };

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  await rebuild(pool, artistProjection, registry);
  key = await keyHeader(pool);
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await queryApp(pool, { now: () => NOW, limits: { perKey: 10, perAddress: 5 }, ...changed });
  apps.push(app);
  return app;
}

/** What an answer says of where the request stands, in both forms. */
const standing = ({ headers }: LightMyRequestResponse) => ({
  old: [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']],
  policy: headers['ratelimit-policy'],
  now: headers.ratelimit,
});

const OF_KEY = '"default";q=10;w=60, "concurrency";q=500;qu="concurrent-requests"';

describe('the standing', () => {
  it('is on answers, on 304 and on errors, in both forms', async () => {
    const app = await open();
    const first = await app.inject({ url: DOSSIER, headers: key });
    const answers = [
      first,
      await app.inject({ url: DOSSIER, headers: { ...key, 'if-none-match': String(first.headers.etag) } }),
      await app.inject({ url: `${DOSSIER}?fields=nope`, headers: key }),
      await app.inject({ method: 'HEAD', url: DOSSIER, headers: key }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 304, 400, 200]);
    for (const [at, answer] of answers.entries())
      expect(standing(answer)).toEqual({
        old: ['10', String(9 - at), END],
        policy: OF_KEY,
        now: `"default";r=${9 - at};t=40`,
      });
  });

  it('is on a refusal, with the seconds to wait', async () => {
    const app = await open({ limits: { perKey: 1, perAddress: 5 } });
    await app.inject({ url: DOSSIER, headers: key });
    const refused = await app.inject({ url: DOSSIER, headers: key });
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ error: 'rate_limited', retry_after_seconds: 40 });
    expect(refused.headers['retry-after']).toBe('40');
    expect(standing(refused)).toEqual({
      old: ['1', '0', END],
      policy: '"default";q=1;w=60, "concurrency";q=500;qu="concurrent-requests"',
      now: '"default";r=0;t=40',
    });
  });

  it('may be read by pages of any origin', async () => {
    const answer = await (await open()).inject({ url: DOSSIER, headers: key });
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Reset']));
  });

  it.each([
    ['an address', { url: '/api/v2' }, '"address";q=5;w=60', '"address";r=4;t=40'],
    [
      'a network that asks for previews',
      { url: '/api/v2/preview/artist?q=', remoteAddress: '192.0.2.7' },
      '"preview";q=100;w=3600',
      '"preview";r=99;t=3600',
    ],
    [
      'a network of a site',
      { url: '/api/v2/preview/artist?q=', remoteAddress: '2001:db8::1' },
      '"preview";q=100;w=3600, "preview-site";q=1000;w=3600',
      '"preview";r=99;t=3600',
    ],
  ])('is told of %s', async (_, request, policy, now) => {
    expect(standing(await (await open()).inject(request))).toMatchObject({ policy, now });
  });

  it('of a route that is counted apart is told by its own policy, beside all others', async () => {
    const app = await open();
    const answer = await app.inject({ url: '/api/v2/tracks/resolve?title=a', headers: key });
    expect(standing(answer)).toEqual({
      old: ['60', '59', END],
      policy: `"track-resolve";q=60;w=60, ${OF_KEY}`,
      now: '"track-resolve";r=59;t=40',
    });
  });

  it('is absent where nothing is counted', async () => {
    const answer = await (await open()).inject('/health');
    expect(standing(answer)).toEqual({ old: [undefined, undefined, undefined] });
  });
});

it('counts an IPv6 network as one address, for public routes and for failed authentications', async () => {
  const app = await open({ limits: { perKey: 10, perAddress: 2 } });
  for (const [url, good] of [
    ['/api/v2', 200],
    [DOSSIER, 401],
  ] as const) {
    const ask = async (remoteAddress: string) => (await app.inject({ url, remoteAddress })).statusCode;
    expect([await ask('2001:db8:7:7::1'), await ask('2001:db8:7:7::2')]).toEqual([good, good]);
    expect(await ask('2001:db8:7:7:ffff::3')).toBe(429);
    expect(await ask('2001:db8:7:8::1')).toBe(good);
  }
});

it('goes on in the same window where the clock of the system is set', async () => {
  let [steady, wall] = [NOW, NOW];
  const clock = { steady: () => steady, wall: () => wall };
  const app = await open({ clock, limits: { perKey: 2, perAddress: 5 } });
  const ask = () => app.inject({ url: DOSSIER, headers: key });
  await ask();
  wall -= 86_400_000;
  steady += 1_000;
  expect(standing(await ask()).now).toBe('"default";r=0;t=39');
  expect((await ask()).statusCode).toBe(429);
  steady += 39_000;
  expect((await ask()).statusCode).toBe(200);
});

describe('requests at once', () => {
  /** An app with a route that answers when it is let. */
  async function withHeld(limits: QueryParts['limits'], metrics: Metrics | null = null) {
    const app = await open({ limits, metrics });
    const held: PromiseWithResolvers<string>[] = [];
    app.get('/api/v2/held', () => {
      const one = Promise.withResolvers<string>();
      held.push(one);
      return one.promise;
    });
    const ask = (headers = key) => app.inject({ url: '/api/v2/held', headers });
    return { app, held, ask };
  }

  it('are refused beyond what a key may have, and let in as soon as one has ended', async () => {
    const { held, ask } = await withHeld({ perKey: 10, perAddress: 5, atOncePerKey: 2 });
    const underWay = [ask(), ask()];
    await vi.waitUntil(() => held.length === 2);
    const refused = await ask();
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({
      error: 'rate_limited',
      message: 'More requests of this key are under way than it may have at once.',
      hint: expect.stringContaining('Wait for answers'),
      doc_url: expect.stringContaining('#error-rate_limited'),
      retry_after_seconds: 1,
    });
    expect(refused.headers['retry-after']).toBe('1');
    // It was not counted among the requests of the minute.
    expect(standing(refused)).toMatchObject({
      now: '"default";r=8;t=40',
      policy: '"default";q=10;w=60, "concurrency";q=2;qu="concurrent-requests"',
    });
    const other = ask(await keyHeader(pool));
    await vi.waitUntil(() => held.length === 3);
    held[0]?.resolve('first');
    expect((await underWay[0])?.statusCode).toBe(200);
    const next = ask();
    await vi.waitUntil(() => held.length === 4);
    for (const { resolve } of held) resolve('rest');
    for (const answer of await Promise.all([underWay[1], other, next])) expect(answer?.statusCode).toBe(200);
  });

  it('give their place back where they fail or are refused later on', async () => {
    const { app } = await withHeld({ perKey: 100, perAddress: 5, atOncePerKey: 1 });
    for (const url of [`${DOSSIER}?fields=nope`, '/api/v2/search', DOSSIER, '/api/v2/artist/catalog:1'])
      expect((await app.inject({ url, headers: key })).statusCode, url).not.toBe(429);
  });

  it('are counted by policy where they are refused', async () => {
    const metrics = new Metrics();
    const { app, held, ask } = await withHeld({ perKey: 3, perAddress: 1, atOncePerKey: 1 }, metrics);
    const underWay = ask();
    await vi.waitUntil(() => held.length === 1);
    for (let times = 0; times < 2; times++) await ask();
    held[0]?.resolve('done');
    await underWay;
    for (let times = 0; times < 3; times++) await app.inject({ url: DOSSIER, headers: key });
    for (let times = 0; times < 3; times++) await app.inject('/api/v2');
    for (let times = 0; times < 3; times++) await app.inject(DOSSIER);
    const text = await metrics.metrics();
    expect(text.match(/^linernotes_rate_limited_total.*$/gm)).toEqual([
      'linernotes_rate_limited_total{policy="concurrency"} 2',
      'linernotes_rate_limited_total{policy="default"} 1',
      'linernotes_rate_limited_total{policy="address"} 2',
      'linernotes_rate_limited_total{policy="failed-authentications"} 2',
    ]);
  });
});

it('holds all trial keys together to what one standard key may', async () => {
  const app = await open({ limits: { perKey: 4, perAddress: 5 } });
  const keys = await Promise.all(Array.from({ length: 5 }, () => keyHeader(pool, 'trial')));
  const answers: LightMyRequestResponse[] = [];
  for (const headers of keys) answers.push(await app.inject({ url: DOSSIER, headers }));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 429]);
  const refused = answers.at(-1);
  expect(refused && standing(refused).now).toBe('"tier";r=0;t=40');
  expect((await app.inject({ url: DOSSIER, headers: key })).statusCode).toBe(200);
});
