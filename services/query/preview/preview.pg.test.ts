import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { artistCoEvent } from '../../../projections/contracts/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../../../projections/contracts/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { previewProjection } from '../../../projections/models/preview/project.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { PreviewBody } from './route.ts';

const HOUR_MS = 3_600_000;
const UNKNOWN = 'ab'.repeat(32);
const MERGED = '1f'.repeat(32);
const HOMONYM = '2e'.repeat(32);
const TRIO = '3d'.repeat(32);
const FOLDED = '4c'.repeat(32);
const PATH = '/api/v2/preview/artist';

let now = Date.UTC(2026, 0, 1);
let visitor = 0;
const {
  pool,
  app: service,
  key,
  open,
} = withQueryService({
  rows: [
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
  ],
  projections: [artistProjection, identityProjection, previewProjection],
  parts: { now: () => now },
});
afterEach(() => vi.restoreAllMocks());

/** Each visitor has an address of its own unless one is given. */
const visit = (
  query: string,
  { from = `10.0.${visitor >> 8}.${visitor++ & 255}`, app = service(), headers = {} } = {},
): Promise<LightMyRequestResponse> => app.inject({ url: `${PATH}?${query}`, remoteAddress: from, headers });

async function preview(q: string): Promise<Record<string, unknown>> {
  const response = await visit(new URLSearchParams({ q }).toString());
  expect(response.statusCode, response.body).toBe(200);
  const body = response.json();
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
const absent = (q: string) => ({
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

  it('is found by the slug of a cluster that the catalogue lacks', async () => {
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

  it.each(['Åsa', 'Folded'])('of %s has no cluster if none is bound to it alone', async (name) => {
    expect(await preview(name)).toMatchObject({
      present: true,
      display: name,
      cluster_id: null,
      resolved_via: 'catalog',
      note: 'The artist is in the catalogue, but no cluster is bound to it alone, so no signals are joined.',
    });
  });

  it.each([
    ['the name of a homonym', 'function', HOMONYM, 'Function'],
    ['a name that several artists match', 'trio', TRIO, 'Trio'],
  ])('of a slug that is also %s is that of the dossier', async (_, slug, cluster, display) => {
    const dossier = await service().inject({ url: `/api/v2/artist/${slug}`, headers: key() });
    const who = { display, cluster_id: cluster, resolved_via: 'cluster' };
    expect(dossier.json()).toMatchObject(who);
    expect(await preview(slug)).toMatchObject({ present: true, ...who });
    expect(await preview(`${display} (2)`)).toMatchObject({ display: `${display} (2)`, cluster_id: null });
  });

  it('of a merged cluster is that of the other, with a remark', async () => {
    const into = await preview(OTHER_CLUSTER);
    for (const q of [MERGED, MERGED.toUpperCase()])
      expect(await preview(q)).toEqual({
        ...into,
        note: `The requested cluster was merged into this one. ${into.note}`,
      });
  });

  it('is absent without an exact name, slug or cluster', async () => {
    for (const q of ['Mon', 'Mono Liv', UNKNOWN, 'catalog:12', '???', 'x'.repeat(1_000), '%', "';--"])
      expect(await preview(q)).toEqual(absent(q));
  });

  it('does not choose between equals', async () => {
    expect(await preview('twin')).toEqual({
      ...absent('twin'),
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
  ])('rejects ?%s', async (query, param) => {
    const response = await visit(query);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: 'invalid_query', param });
  });

  it('runs few statements', async () => {
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

  it('is readable from any origin and by HEAD', async () => {
    const response = await visit('q=mono', { headers: { origin: 'https://elsewhere.example' } });
    expect(response.headers['access-control-allow-origin']).toBe('*');
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

describe('a cached preview', () => {
  it.each(['Mono', 'an unknown name'])('of %s is cached for a minute, also by the client', async (q) => {
    const requested = `q=${encodeURIComponent(q)}`;
    const first = await visit(requested);
    expect(first.headers['cache-control']).toBe('private, max-age=60');
    const spied = vi.spyOn(pg.Client.prototype, 'query');
    now += 59_999;
    expect((await visit(requested)).body).toBe(first.body);
    expect(spied).not.toHaveBeenCalled();
    now += 1;
    const later = await visit(requested);
    expect(later.json()).toEqual({
      ...first.json(),
      generated_at: `${new Date(now).toISOString().slice(0, 19)}Z`,
    });
    expect(later.body).not.toBe(first.body);
  });

  it('is sent without a wait to a request with a position', async () => {
    const first = await visit('q=mono');
    const spied = vi.spyOn(pg.Client.prototype, 'query');
    const response = await visit('q=mono', {
      headers: { 'x-linernotes-at-least': 'producers.seen.artist_momentum:0:0', 'x-linernotes-wait': '10' },
    });
    expect(response.body).toBe(first.body);
    expect(response.headers['x-linernotes-freshness']).toBeUndefined();
    expect(spied).not.toHaveBeenCalled();
  });
});

describe('the limit', () => {
  const rateLimitOf = ({ headers }: LightMyRequestResponse) => ({
    limit: headers['x-ratelimit-limit'],
    remaining: headers['x-ratelimit-remaining'],
    reset: headers['x-ratelimit-reset'],
  });

  it('allows an address a hundred requests in any hour', async () => {
    const begun = now;
    const from = '192.0.2.1';
    for (let times = 1; times <= 100; times++) {
      const response = await visit('q=mono', { from });
      expect(response.statusCode).toBe(200);
      expect(rateLimitOf(response)).toEqual({
        limit: '100',
        remaining: String(100 - times),
        reset: String(Math.ceil((begun + HOUR_MS) / 1000)),
      });
      now += 30_000;
    }
    const rejected = await visit('q=mono', { from });
    expect(rejected.statusCode).toBe(429);
    expect(rejected.json()).toMatchObject({ error: 'rate_limited', retry_after_seconds: 600 });
    expect(rejected.headers['retry-after']).toBe('600');
    expect(rejected.headers['access-control-allow-origin']).toBe('*');
    expect(rateLimitOf(rejected)).toMatchObject({ limit: '100', remaining: '0' });
    expect((await visit('q=mono', { from: '192.0.2.2' })).statusCode).toBe(200);
    // The first visit leaves the window, and a minute later the third; no new window begins.
    now = begun + HOUR_MS;
    expect((await visit('q=mono', { from })).statusCode).toBe(200);
    expect((await visit('q=mono', { from })).statusCode).toBe(429);
    now += 60_000;
    for (const expected of [200, 200, 429])
      expect((await visit('q=mono', { from })).statusCode).toBe(expected);
  });

  it('counts an IPv6 network as one, and invalid requests too', async () => {
    for (let host = 1; host <= 100; host++) await visit('', { from: `2001:db8:7:7::${host.toString(16)}` });
    expect((await visit('q=mono', { from: '2001:db8:7:7:ffff::1' })).statusCode).toBe(429);
    expect((await visit('q=mono', { from: '2001:db8:7:8::1' })).statusCode).toBe(200);
  });

  it.each([
    [
      'IPv6 /48',
      (index: number) => `2001:db8:9:${index.toString(16)}::1`,
      '2001:db8:9:ffff::1',
      '2001:db8:a::1',
    ],
    ['IPv4 /24', (index: number) => `198.18.0.${index % 250}`, '198.18.0.255', '198.18.1.1'],
  ])('counts all networks of an %s together as well', async (_, addressOf, within, outside) => {
    for (let index = 0; index < 1_000; index++) await visit('', { from: addressOf(index) });
    const rejected = await visit('q=mono', { from: within });
    expect(rejected.statusCode).toBe(429);
    expect(rateLimitOf(rejected)).toMatchObject({ limit: '1000', remaining: '0' });
    expect((await visit('q=mono', { from: outside })).statusCode).toBe(200);
  });

  it('counts clients behind a trusted proxy only', async () => {
    const app = await open({ trustProxy: '10.0.0.0/8' });
    const ask = (from: string, forwarded: string) =>
      visit('q=mono', { app, from, headers: { 'x-forwarded-for': forwarded } });
    for (let times = 0; times < 100; times++) await ask('10.1.1.1', '198.51.100.1');
    expect((await ask('10.2.2.2', '198.51.100.1')).statusCode).toBe(429);
    expect((await ask('10.1.1.1', '198.51.100.2')).statusCode).toBe(200);
    for (let times = 0; times < 100; times++) await ask('203.0.113.9', `198.51.100.${times}`);
    expect((await ask('203.0.113.9', '198.51.100.250')).statusCode).toBe(429);
  });

  it('rejects requests if it cannot be counted', async () => {
    const app = await open({
      previewWindow: { take: async () => Promise.reject(new Error('the counter is unavailable')) },
    });
    const response = await visit('q=mono', { app });
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ error: 'preview_unavailable', retry_after_seconds: 5 });
    expect(response.body).not.toContain('counter is unavailable');
    expect(response.headers['cache-control']).toBe('no-store');
  });
});

describe('a change', () => {
  it('of the tier shows in both lanes', async () => {
    const { rows } = await pool.query<{ key: string }>(
      `select key from read.preview where convert_from(body, 'UTF8') like '%"emergence_tier":"rising"%' order by key`,
    );
    expect(rows.map(({ key }) => key)).toEqual([`artist:${CLUSTER}`, `catalog-artist:${CATALOG_ID}`]);
  });
});
