import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { identityProjection } from '../../projections/identity/project.ts';
import { previewProjection } from '../../projections/preview/project.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { artistPressMentions } from '../../projections/sources/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { clusterAliasV1 } from '../../projections/sources/mirror/cluster-alias-v1.ts';
import { artistCoEvent } from '../../projections/sources/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../../projections/sources/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { closed } from '../../test/closed-schema.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import type { QueryParts } from './parts.ts';
import { PreviewBody } from './schemas/preview.ts';

const { pool } = withDatabase();
const HOUR_MS = 3_600_000;
const UNKNOWN = 'ab'.repeat(32);
const MERGED = '1f'.repeat(32);
const HOMONYM = '2e'.repeat(32);
const TRIO = '3d'.repeat(32);
const FOLDED = '4c'.repeat(32);
const PATH = '/api/v2/preview/artist';

let registry: Registry;
let now = Date.UTC(2026, 0, 1);
let visitor = 0;
const apps: FastifyInstance[] = [];

beforeAll(async () => {
  for (const format of ['date-time', 'date']) FormatRegistry.Set(format, () => true);
  registry = await registerSources(pool);
  await fillMirror(pool, registry, [
    rowsOf(
      catalogArtist,
      { name: 'Mono', slug: 'mono-jp', aliases: ['Monoband'] },
      { catalog_artist_id: 12, name: 'Twin (2)', slug: 'twin-2', aliases: [] },
      { catalog_artist_id: 13, name: 'Twin (3)', slug: 'twin-3', aliases: [] },
      { catalog_artist_id: 14, name: 'Åsa', slug: 'åsa', aliases: [] },
      { catalog_artist_id: 15, name: 'Function (2)', slug: 'function-2', aliases: [] },
      { catalog_artist_id: 16, name: 'Trio (2)', slug: 'trio-2', aliases: [] },
      { catalog_artist_id: 17, name: 'Trio (3)', slug: 'trio-3', aliases: [] },
      { catalog_artist_id: 18, name: 'Folded', slug: 'folded', aliases: [] },
    ),
    rowsOf(
      artistIdentityBridge,
      { catalog_artist_id_count: 1, is_exact: true },
      { cluster_id: FOLDED, catalog_artist_id: 18, catalog_artist_id_count: 2, is_exact: true },
    ),
    rowsOf(clusterAliasV1, { cluster_id: OTHER_CLUSTER, alias: MERGED }),
    rowsOf(
      performingEntity,
      { name: 'Mono Live', slug: 'mono-live' },
      { cluster_id: OTHER_CLUSTER, name: 'Other', slug: 'other-act' },
      { cluster_id: HOMONYM, name: 'Function', slug: 'function' },
      { cluster_id: TRIO, name: 'Trio', slug: 'trio' },
    ),
    rowsOf(artistMomentum, { emergence_tier: 'rising' }),
    rowsOf(
      artistEmergenceNarrativePublic,
      ...[2011, 2012, 2013, 2014, 2015, 2016, 2017].map((year) => ({
        transition_at: `${year}-05-05`,
        tier: 'climbing',
        label: `what ${year} brought`,
      })),
    ),
    rowsOf(
      artistCoEvent,
      ...[1, 2, 3, 4].map((count) => ({ other_name: `Met ${count}`, co_event_count: count })),
    ),
    rowsOf(artistPressMentions, { url: 'https://a.example' }, { url: 'https://b.example', mention_id: 'm2' }),
  ]);
  for (const projection of [artistProjection, identityProjection, previewProjection])
    await rebuild(pool, projection, registry);
  await open();
});
afterAll(async () => {
  for (const app of apps) await app.close();
});
afterEach(() => vi.restoreAllMocks());

async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await queryApp(pool, { now: () => now, ...changed });
  apps.push(app);
  return app;
}
const service = (): FastifyInstance => {
  const [app] = apps;
  if (app === undefined) throw new Error('the service is not there yet');
  return app;
};

/** Each visitor has an address of its own unless one is given. */
const visit = (
  query: string,
  { from = `10.0.${visitor >> 8}.${visitor++ & 255}`, app = service(), headers = {} } = {},
): Promise<LightMyRequestResponse> => app.inject({ url: `${PATH}?${query}`, remoteAddress: from, headers });

async function preview(q: string): Promise<Record<string, unknown>> {
  const answer = await visit(new URLSearchParams({ q }).toString());
  expect(answer.statusCode, answer.body).toBe(200);
  const body = answer.json();
  expect([...Value.Errors(closed(PreviewBody), body)]).toEqual([]);
  return body;
}

const MONO = {
  object: 'artist.preview',
  present: true,
  display: 'Mono',
  cluster_id: CLUSTER,
  resolved_via: 'catalog',
  emergence_tier: 'rising',
  arc: [2012, 2013, 2014, 2015, 2016, 2017].map((year) => ({
    year,
    tier: 'climbing',
    label: `what ${year} brought`,
  })),
  arc_truncated: true,
  booked_with: ['Met 4', 'Met 3', 'Met 2'],
  press_count: 2,
  note: expect.stringContaining('teaser'),
  generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
};
const nobody = (q: string) => ({
  object: 'artist.preview',
  present: false,
  display: q,
  cluster_id: null,
  resolved_via: null,
  emergence_tier: 'untracked',
  arc: [],
  arc_truncated: false,
  booked_with: [],
  press_count: 0,
  note: expect.any(String),
  generated_at: expect.any(String),
});

describe('a preview', () => {
  it('is found by name, alias or slug, whatever the case and white space', async () => {
    for (const q of ['Mono', ' mONO ', 'monoband', 'mono-jp', 'MONO-JP'])
      expect(await preview(q)).toEqual(MONO);
  });

  it('is found by cluster id in the cluster lane, as observed', async () => {
    for (const q of [CLUSTER, CLUSTER.toUpperCase()])
      expect(await preview(q)).toEqual({
        ...MONO,
        display: 'Mono Live',
        resolved_via: 'cluster',
        note: expect.stringContaining('not verified'),
      });
  });

  it('is found by the slug of a cluster that the catalogue does not have', async () => {
    expect(await preview('other-act')).toMatchObject({
      present: true,
      display: 'Other',
      cluster_id: OTHER_CLUSTER,
      resolved_via: 'cluster',
      emergence_tier: 'untracked',
      arc: [],
      arc_truncated: false,
    });
  });

  it.each(['Åsa', 'Folded'])('of %s has no cluster where none is bound to it alone', async (name) => {
    expect(await preview(name)).toMatchObject({
      present: true,
      display: name,
      cluster_id: null,
      resolved_via: 'catalog',
      note: 'The artist is in the catalogue; no cluster is bound to it alone, so no signals are joined.',
    });
  });

  it.each([
    ['the name of a homonym', 'function', HOMONYM, 'Function'],
    ['a name that several have an equal claim to', 'trio', TRIO, 'Trio'],
  ])('of a slug that is also %s is that of whom the dossier is about', async (_, slug, cluster, display) => {
    const dossier = await service().inject({ url: `/api/v2/artist/${slug}`, headers: await keyHeader(pool) });
    const who = { display, cluster_id: cluster, resolved_via: 'cluster' };
    expect(dossier.json()).toMatchObject(who);
    expect(await preview(slug)).toMatchObject({ present: true, ...who });
    expect(await preview(`${display} (2)`)).toMatchObject({ display: `${display} (2)`, cluster_id: null });
  });

  it('of a cluster that was merged into another is that of the other, and says so', async () => {
    const into = await preview(OTHER_CLUSTER);
    for (const q of [MERGED, MERGED.toUpperCase()])
      expect(await preview(q)).toEqual({
        ...into,
        note: `The cluster was merged into the one that is answered. ${into.note}`,
      });
  });

  it('is of nobody where no name, slug or cluster is exactly the same', async () => {
    for (const q of ['Mon', 'Mono Liv', UNKNOWN, 'catalog:12', '???', 'x'.repeat(1_000), '%', "';--"])
      expect(await preview(q)).toEqual(nobody(q));
  });

  it('does not guess between equals', async () => {
    expect(await preview('twin')).toEqual({
      ...nobody('twin'),
      note: expect.stringContaining('Several artists'),
    });
    expect(await preview('twin-3')).toMatchObject({ present: true, display: 'Twin (3)' });
  });

  it.each([
    ['', 'q'],
    ['q=', 'q'],
    ['q=%20%09', 'q'],
    ['q=a%00b', 'q'],
    [`q=${'x'.repeat(1_001)}`, 'q'],
    ['q=a&q=b', 'q'],
    ['q=a&limit=3', 'limit'],
  ])('refuses ?%s', async (query, param) => {
    const answer = await visit(query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: 'invalid_query', param });
  });

  it('takes few statements', async () => {
    const spied = vi.spyOn(pg.Client.prototype, 'query');
    const statements = async (q: string) => {
      spied.mockClear();
      await preview(q);
      return spied.mock.calls.length;
    };
    expect(await statements(HOMONYM)).toBe(1);
    expect(await statements(`${'0'.repeat(63)}1`)).toBe(2);
    expect(await statements(` ${MERGED}`)).toBe(0);
    expect(await statements('MONO  ')).toBe(2);
    expect(await statements('TWIN (2)')).toBe(3);
    expect(await statements('mono-live')).toBe(2);
    expect(await statements('nobody has this name')).toBe(2);
  });

  it('may be read by a page of any origin, and be asked for by HEAD', async () => {
    const answer = await visit('q=mono', { headers: { origin: 'https://elsewhere.example' } });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const preflight = await service().inject({
      method: 'OPTIONS',
      url: `${PATH}?q=mono`,
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    const head = await service().inject({ method: 'HEAD', url: `${PATH}?q=mono`, remoteAddress: '10.9.9.9' });
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe('');
  });
});

describe('what was answered', () => {
  it.each(['Mono', 'somebody unknown'])('of %s is kept for a minute, also by who asked', async (q) => {
    const asked = `q=${encodeURIComponent(q)}`;
    const first = await visit(asked);
    expect(first.headers['cache-control']).toBe('private, max-age=60');
    const spied = vi.spyOn(pg.Client.prototype, 'query');
    now += 59_999;
    expect((await visit(asked)).body).toBe(first.body);
    expect(spied).not.toHaveBeenCalled();
    now += 1;
    const later = await visit(asked);
    expect(later.json()).toEqual({
      ...first.json(),
      generated_at: `${new Date(now).toISOString().slice(0, 19)}Z`,
    });
    expect(later.body).not.toBe(first.body);
  });

  it('is given at once to who asks to wait for a change', async () => {
    const first = await visit('q=mono');
    const spied = vi.spyOn(pg.Client.prototype, 'query');
    const answer = await visit('q=mono', {
      headers: { 'x-linernotes-at-least': 'producers.seen.artist_momentum:0:0', 'x-linernotes-wait': '10' },
    });
    expect(answer.body).toBe(first.body);
    expect(answer.headers['x-linernotes-freshness']).toBeUndefined();
    expect(spied).not.toHaveBeenCalled();
  });
});

describe('the limit', () => {
  const standing = ({ headers }: LightMyRequestResponse) => ({
    limit: headers['x-ratelimit-limit'],
    remaining: headers['x-ratelimit-remaining'],
    reset: headers['x-ratelimit-reset'],
  });

  it('lets an address ask a hundred times in any hour', async () => {
    const begun = now;
    const from = '192.0.2.1';
    for (let times = 1; times <= 100; times++) {
      const answer = await visit('q=mono', { from });
      expect(answer.statusCode).toBe(200);
      expect(standing(answer)).toEqual({
        limit: '100',
        remaining: String(100 - times),
        reset: String(Math.ceil((begun + HOUR_MS) / 1000)),
      });
      now += 30_000;
    }
    const refused = await visit('q=mono', { from });
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ error: 'rate_limited', retry_after_seconds: 600 });
    expect(refused.headers['retry-after']).toBe('600');
    expect(refused.headers['access-control-allow-origin']).toBe('*');
    expect(standing(refused)).toMatchObject({ limit: '100', remaining: '0' });
    expect((await visit('q=mono', { from: '192.0.2.2' })).statusCode).toBe(200);
    // The first visit leaves the window, and a minute later the third: no new window with a hundred begins.
    now = begun + HOUR_MS;
    expect((await visit('q=mono', { from })).statusCode).toBe(200);
    expect((await visit('q=mono', { from })).statusCode).toBe(429);
    now += 60_000;
    for (const expected of [200, 200, 429])
      expect((await visit('q=mono', { from })).statusCode).toBe(expected);
  });

  it('counts an IPv6 network as one, and what is refused for its form too', async () => {
    for (let host = 1; host <= 100; host++) await visit('', { from: `2001:db8:7:7::${host.toString(16)}` });
    expect((await visit('q=mono', { from: '2001:db8:7:7:ffff::1' })).statusCode).toBe(429);
    expect((await visit('q=mono', { from: '2001:db8:7:8::1' })).statusCode).toBe(200);
  });

  it('counts the networks of one IPv6 site together as well', async () => {
    for (let network = 0; network < 1_000; network++)
      await visit('q=mono', { from: `2001:db8:9:${network.toString(16)}::1` });
    const refused = await visit('q=mono', { from: '2001:db8:9:ffff::1' });
    expect(refused.statusCode).toBe(429);
    expect(standing(refused)).toMatchObject({ limit: '1000', remaining: '0' });
    expect((await visit('q=mono', { from: '2001:db8:a:ffff::1' })).statusCode).toBe(200);
  });

  it('counts who is behind a trusted proxy, and believes no other', async () => {
    const app = await open({ trustProxy: '10.0.0.0/8' });
    const ask = (from: string, forwarded: string) =>
      visit('q=mono', { app, from, headers: { 'x-forwarded-for': forwarded } });
    for (let times = 0; times < 100; times++) await ask('10.1.1.1', '198.51.100.1');
    expect((await ask('10.2.2.2', '198.51.100.1')).statusCode).toBe(429);
    expect((await ask('10.1.1.1', '198.51.100.2')).statusCode).toBe(200);
    for (let times = 0; times < 100; times++) await ask('203.0.113.9', `198.51.100.${times}`);
    expect((await ask('203.0.113.9', '198.51.100.250')).statusCode).toBe(429);
  });

  it('that cannot be counted lets nobody in', async () => {
    const app = await open({
      previewWindow: { take: async () => Promise.reject(new Error('the counter is away')) },
    });
    const answer = await visit('q=mono', { app });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: 'preview_unavailable', retry_after_seconds: 5 });
    expect(answer.body).not.toContain('counter is away');
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('a change', () => {
  it('of the tier is seen in both lanes', async () => {
    const { rows } = await pool.query<{ key: string }>(
      `select key from read.preview where convert_from(body, 'UTF8') like '%"emergence_tier":"rising"%' order by key`,
    );
    expect(rows.map(({ key }) => key)).toEqual([`artist:${CLUSTER}`, `catalog-artist:${CATALOG_ID}`]);
  });
});
