import type { LightMyRequestResponse } from 'fastify';
import { Registry as Metrics } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { keyHeader } from '../../test/support/query/app.ts';
import { withQueryService } from '../../test/support/query/service.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import type { QueryParts } from './parts.ts';

const { pool, open, key } = withQueryService({
  rows: [rowsOf(artistMomentum, {})],
  projections: [artistProjection],
  parts: { now: () => NOW, limits: { perKey: 10, perAddress: 5 } },
});
const NOW = Date.UTC(2026, 0, 1, 0, 0, 20);
const END = String(Date.UTC(2026, 0, 1, 0, 1) / 1_000);
const DOSSIER = '/api/v2/artist/mono';

/** The rate-limit headers of a response, in both formats. */
const rateLimitOf = ({ headers }: LightMyRequestResponse) => ({
  old: [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']],
  policy: headers['ratelimit-policy'],
  now: headers.ratelimit,
});

const OF_KEY = '"default";q=10;w=60, "concurrency";q=500;qu="concurrent-requests"';

describe('the rate-limit headers', () => {
  it('are on responses, on 304 and on errors, in both formats', async () => {
    const app = await open();
    const first = await app.inject({ url: DOSSIER, headers: key() });
    const responses = [
      first,
      await app.inject({ url: DOSSIER, headers: { ...key(), 'if-none-match': String(first.headers.etag) } }),
      await app.inject({ url: `${DOSSIER}?fields=nope`, headers: key() }),
      await app.inject({ method: 'HEAD', url: DOSSIER, headers: key() }),
    ];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 304, 400, 200]);
    for (const [at, response] of responses.entries())
      expect(rateLimitOf(response)).toEqual({
        old: ['10', String(9 - at), END],
        policy: OF_KEY,
        now: `"default";r=${9 - at};t=40`,
      });
  });

  it('are on a rejection, with the seconds to wait', async () => {
    const app = await open({ limits: { perKey: 1, perAddress: 5 } });
    await app.inject({ url: DOSSIER, headers: key() });
    const rejected = await app.inject({ url: DOSSIER, headers: key() });
    expect(rejected.statusCode).toBe(429);
    expect(rejected.json()).toMatchObject({ error: 'rate_limited', retry_after_seconds: 40 });
    expect(rejected.headers['retry-after']).toBe('40');
    expect(rateLimitOf(rejected)).toEqual({
      old: ['1', '0', END],
      policy: '"default";q=1;w=60, "concurrency";q=500;qu="concurrent-requests"',
      now: '"default";r=0;t=40',
    });
  });

  it('can be read by pages of any origin', async () => {
    const response = await (await open()).inject({ url: DOSSIER, headers: key() });
    const exposed = String(response.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Reset']));
  });

  it.each([
    ['an address', { url: '/api/v2' }, '"address";q=5;w=60', '"address";r=4;t=40'],
    [
      'a network that asks for previews',
      { url: '/api/v2/preview/artist?q=', remoteAddress: '192.0.2.7' },
      '"preview";q=100;w=3600, "preview-site";q=1000;w=3600, "preview-block";q=10000;w=3600',
      '"preview";r=99;t=3600',
    ],
    [
      'an IPv6 network that asks for previews',
      { url: '/api/v2/preview/artist?q=', remoteAddress: '2001:db8::1' },
      '"preview";q=100;w=3600, "preview-site";q=1000;w=3600, "preview-block";q=10000;w=3600',
      '"preview";r=99;t=3600',
    ],
  ])('are sent for %s', async (_, request, policy, now) => {
    expect(rateLimitOf(await (await open()).inject(request))).toMatchObject({ policy, now });
  });

  it('name the policy of a separately counted route first, then all others', async () => {
    const app = await open();
    const response = await app.inject({ url: '/api/v2/tracks/resolve?title=a', headers: key() });
    expect(rateLimitOf(response)).toEqual({
      old: ['60', '59', END],
      policy: `"track-resolve";q=60;w=60, ${OF_KEY}`,
      now: '"track-resolve";r=59;t=40',
    });
  });

  it('are absent on routes that are not counted', async () => {
    const response = await (await open()).inject('/health');
    expect(rateLimitOf(response)).toEqual({ old: [undefined, undefined, undefined] });
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

it.each([
  ['an IPv6 /48', (index: number) => `2001:db8:7:${index}::1`, '2001:db8:8::1'],
  ['an IPv4 /24', (index: number) => `192.0.2.${index}`, '192.0.3.1'],
])('counts all networks of %s together, and no other one', async (_name, addressOf, other) => {
  const app = await open({ limits: { perKey: 10, perAddress: 1 } });
  const ask = async (remoteAddress: string) =>
    (await app.inject({ url: '/api/v2', remoteAddress })).statusCode;
  for (let index = 1; index <= 10; index++) expect(await ask(addressOf(index))).toBe(200);
  expect(await ask(addressOf(11))).toBe(429);
  expect(await ask(other)).toBe(200);
});

it('stays in the same window when the system clock is set', async () => {
  let [steady, wall] = [NOW, NOW];
  const clock = { steady: () => steady, wall: () => wall };
  const app = await open({ clock, limits: { perKey: 2, perAddress: 5 } });
  const ask = () => app.inject({ url: DOSSIER, headers: key() });
  await ask();
  wall -= 86_400_000;
  steady += 1_000;
  expect(rateLimitOf(await ask()).now).toBe('"default";r=0;t=39');
  expect((await ask()).statusCode).toBe(429);
  steady += 39_000;
  expect((await ask()).statusCode).toBe(200);
});

describe('concurrent requests', () => {
  /** An app with a route that responds when the test resolves it. */
  async function withPendingRoute(limits: QueryParts['limits'], metrics: Metrics | null = null) {
    const app = await open({ limits, metrics });
    const pending: PromiseWithResolvers<string>[] = [];
    app.get('/api/v2/pending', () => {
      const one = Promise.withResolvers<string>();
      pending.push(one);
      return one.promise;
    });
    const ask = (headers = key()) => app.inject({ url: '/api/v2/pending', headers });
    return { app, pending, ask };
  }

  it('are rejected beyond the limit of the key, and accepted when one has ended', async () => {
    const { pending, ask } = await withPendingRoute({ perKey: 10, perAddress: 5, concurrencyPerKey: 2 });
    const inFlight = [ask(), ask()];
    await expect.poll(() => pending).toHaveLength(2);
    const rejected = await ask();
    expect(rejected.statusCode).toBe(429);
    expect(rejected.json()).toEqual({
      error: 'rate_limited',
      message: 'This key has too many concurrent requests.',
      hint: expect.stringContaining('Wait for responses'),
      doc_url: expect.stringContaining('#error-rate_limited'),
      retry_after_seconds: 1,
    });
    expect(rejected.headers['retry-after']).toBe('1');
    // It was not counted among the requests of the minute.
    expect(rateLimitOf(rejected)).toMatchObject({
      now: '"default";r=8;t=40',
      policy: '"default";q=10;w=60, "concurrency";q=2;qu="concurrent-requests"',
    });
    const other = ask(await keyHeader(pool));
    await expect.poll(() => pending).toHaveLength(3);
    pending[0]?.resolve('first');
    expect((await inFlight[0])?.statusCode).toBe(200);
    const next = ask();
    await expect.poll(() => pending).toHaveLength(4);
    for (const { resolve } of pending) resolve('rest');
    for (const response of await Promise.all([inFlight[1], other, next]))
      expect(response?.statusCode).toBe(200);
  });

  it('release their slot if they fail or are rejected later', async () => {
    const { app } = await withPendingRoute({ perKey: 100, perAddress: 5, concurrencyPerKey: 1 });
    for (const url of [`${DOSSIER}?fields=nope`, '/api/v2/search', DOSSIER, '/api/v2/artist/catalog:1'])
      expect((await app.inject({ url, headers: key() })).statusCode, url).not.toBe(429);
  });

  it('are counted by policy when they are rejected', async () => {
    const metrics = new Metrics();
    const { app, pending, ask } = await withPendingRoute(
      { perKey: 3, perAddress: 1, concurrencyPerKey: 1 },
      metrics,
    );
    const inFlight = ask();
    await expect.poll(() => pending).toHaveLength(1);
    for (let times = 0; times < 2; times++) await ask();
    pending[0]?.resolve('done');
    await inFlight;
    for (let times = 0; times < 3; times++) await app.inject({ url: DOSSIER, headers: key() });
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

it('limits all trial keys together to the limit of one standard key', async () => {
  const app = await open({ limits: { perKey: 4, perAddress: 5 } });
  const keys = await Promise.all(Array.from({ length: 5 }, () => keyHeader(pool, 'trial')));
  const responses: LightMyRequestResponse[] = [];
  for (const headers of keys) responses.push(await app.inject({ url: DOSSIER, headers }));
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 429]);
  const rejected = responses.at(-1);
  expect(rejected && rateLimitOf(rejected).now).toBe('"tier";r=0;t=40');
  expect((await app.inject({ url: DOSSIER, headers: key() })).statusCode).toBe(200);
});
