import { describe, expect, it } from 'vitest';
import { chartsPage, collectionPage, statisticsPage } from '../../test/support/taste/upstream.ts';
import { catalog } from './catalog.ts';
import { charts } from './charts.ts';
import { statistics } from './statistics.ts';
import type { Upstream } from './upstream.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OWN = {
  url: new URL('https://service.example/api/'),
  userAgent: 'Linernotes/1.0 +a@b',
  intervalMs: 1_000,
};

const read = (upstream: Upstream, body: unknown, { status = 200, at = upstream.first } = {}) =>
  upstream.read({ status, headers: new Headers(), body }, at);
const permanent = (failure: string) => ({ kind: 'permanent', failure });
const transient = (failure: string, holdMs = 0) => ({ kind: 'transient', failure, holdMs });
const item = (name: string, mbid: string | null = null, catalogArtistId: number | null = null) => ({
  name,
  mbid,
  catalogArtistId,
});

/** Bodies that no service reads as a page. */
const MALFORMED: readonly unknown[] = [
  undefined,
  null,
  'text',
  7,
  [],
  {},
  { topartists: null },
  { topartists: { artist: 'Mono', '@attr': { totalPages: '1' } } },
  { topartists: { artist: [], '@attr': { totalPages: 'many' } } },
  { topartists: { artist: [] } },
  { payload: { artists: {}, total_artist_count: 1 } },
  { payload: { artists: [], total_artist_count: '1' } },
  { pagination: { pages: '1' }, releases: [] },
  { pagination: { pages: 1 }, releases: {} },
];

describe('a listening service with a method parameter', () => {
  const upstream = charts({ ...OWN, key: 'the key' });

  it('requests a page of most played artists', () => {
    const { url, headers } = upstream.request('a/b&c=d é', 3);
    expect(url.origin + url.pathname).toBe('https://service.example/api/');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      method: 'user.gettopartists',
      user: 'a/b&c=d é',
      api_key: 'the key',
      format: 'json',
      limit: '500',
      page: '3',
    });
    expect(headers).toEqual({ 'user-agent': 'Linernotes/1.0 +a@b' });
  });

  it('reads page numbers given as strings', () => {
    const page = chartsPage([{ name: 'Mono', mbid: MBID }, { name: 'Wax' }], 1, 2);
    const items = [item('Mono', MBID), item('Wax')];
    expect(read(upstream, page)).toEqual({ kind: 'page', items, next: 2 });
    expect(read(upstream, page, { at: 2 })).toEqual({ kind: 'page', items, next: null });
    expect(read(upstream, chartsPage([], 2, 9), { at: 2 })).toEqual({ kind: 'page', items: [], next: null });
    expect(read(upstream, chartsPage([], 1, 0))).toEqual({ kind: 'page', items: [], next: null });
  });

  it('reads a list of one given as that entry', () => {
    const { topartists } = chartsPage([{ name: 'Mono' }], 1, 1);
    const one = { topartists: { ...topartists, artist: topartists.artist[0] } };
    expect(read(upstream, one)).toEqual({ kind: 'page', items: [item('Mono')], next: null });
  });

  it('skips entries that are not artists', () => {
    const { topartists } = chartsPage([{ name: 'Mono' }], 1, 1);
    const artist = [null, 7, {}, { name: 7 }, { name: '' }, ...topartists.artist, { name: 'Wax', mbid: {} }];
    expect(read(upstream, { topartists: { ...topartists, artist } })).toMatchObject({
      items: [item('Mono'), item('Wax')],
    });
  });

  it.each([
    [6, permanent('user_not_found')],
    [17, permanent('private')],
    [10, transient('refused')],
    [26, transient('refused')],
    [29, transient('unavailable', 60_000)],
    [11, transient('unavailable', 60_000)],
    [16, transient('unavailable', 60_000)],
    [8, transient('unavailable')],
    [999, transient('unavailable')],
  ])('reads the error %i as number or string, with any status', (error, result) => {
    for (const status of [200, 403, 404, 500])
      for (const given of [error, String(error)])
        expect(read(upstream, { error: given, message: 'a message', links: [] }, { status })).toEqual(result);
  });

  it.each([
    [429, transient('unavailable')],
    [502, transient('unavailable')],
    [404, transient('bad_answer')],
    [403, transient('refused')],
    [418, transient('bad_answer')],
  ])('reads the status %i without a body', (status, result) => {
    expect(read(upstream, undefined, { status })).toEqual(result);
  });
});

describe('a listening service with precomputed statistics', () => {
  const upstream = statistics({ ...OWN, key: null });

  it('requests a page of all-time statistics', () => {
    const { url, headers } = upstream.request('a/b?c é', 200);
    expect(url.href).toBe(
      'https://service.example/api/1/stats/user/a%2Fb%3Fc%20%C3%A9/artists?offset=200&count=100&range=all_time',
    );
    expect(headers).toEqual({ 'user-agent': 'Linernotes/1.0 +a@b' });
    const keyed = statistics({ ...OWN, key: 'the key' }).request('a', 0);
    expect(keyed.headers).toMatchObject({ authorization: 'Token the key' });
    expect(keyed.url.href).not.toContain('key');
  });

  it('continues after the last entry until the total', () => {
    const page = statisticsPage([{ name: 'Mono', mbid: MBID }, { name: 'Wax' }], 100, 103);
    const items = [item('Mono', MBID), item('Wax')];
    expect(read(upstream, page, { at: 100 })).toEqual({ kind: 'page', items, next: 102 });
    expect(read(upstream, page, { at: 101 })).toEqual({ kind: 'page', items, next: null });
    expect(read(upstream, statisticsPage([], 102, 103), { at: 102 })).toMatchObject({
      items: [],
      next: null,
    });
  });

  it.each([
    [204, transient('not_computed')],
    [404, transient('bad_answer')],
    [401, transient('refused')],
    [403, transient('refused')],
    [429, transient('unavailable')],
    [503, transient('unavailable')],
    [400, transient('bad_answer')],
  ])('reads the status %i', (status, result) => {
    expect(read(upstream, undefined, { status })).toEqual(result);
  });

  it.each([
    ['Cannot find user: somebody', permanent('user_not_found')],
    ['User somebody not found', permanent('user_not_found')],
    ['Not Found', transient('bad_answer')],
    ['/1/stats/user/somebody/artists leads nowhere', transient('bad_answer')],
  ])('reports an unknown user only if the message says so: %s', (error, result) => {
    expect(read(upstream, { code: 404, error }, { status: 404 })).toEqual(result);
  });
});

describe('a catalogue of releases', () => {
  const upstream = catalog({ ...OWN, token: null });

  it('requests a page of a collection', () => {
    const { url, headers } = upstream.request('a/../b', 2);
    expect(url.href).toBe(
      'https://service.example/api/users/a%2F..%2Fb/collection/folders/0/releases?page=2&per_page=100',
    );
    expect(headers).toEqual({ 'user-agent': 'Linernotes/1.0 +a@b' });
    const known = catalog({ ...OWN, token: 'the token' }).request('a', 1);
    expect(known.headers).toMatchObject({ authorization: 'Discogs token=the token' });
    expect(known.url.href).not.toContain('token');
  });

  it('reads the artists of releases except various artists', () => {
    const artists = [
      { id: 45, name: 'Mono (2)' },
      { id: 194, name: 'Various' },
      { id: 7, name: 'Wax' },
    ];
    const items = [item('Mono (2)', null, 45), item('Wax', null, 7)];
    expect(read(upstream, collectionPage(artists, 1, 2))).toEqual({ kind: 'page', items, next: 2 });
    expect(read(upstream, collectionPage(artists, 2, 2), { at: 2 })).toMatchObject({ items, next: null });
    expect(read(upstream, collectionPage([], 1, 1))).toEqual({ kind: 'page', items: [], next: null });
  });

  it('skips malformed releases and artists', () => {
    const { pagination, releases } = collectionPage([{ id: 45, name: 'Mono' }], 1, 1);
    const odd = [null, {}, { basic_information: { artists: [null, { id: '7', name: 'Wax' }, { id: 7 }] } }];
    expect(read(upstream, { pagination, releases: [...odd, ...releases] })).toMatchObject({
      items: [item('Mono', null, 45)],
    });
  });

  const UNKNOWN = 'User does not exist or may have been deleted.';
  const NOWHERE = 'The requested resource was not found.';
  const CLOSED =
    'You are not allowed to view this resource. Please authenticate as the owner to view this content.';

  it.each([
    [404, UNKNOWN, permanent('user_not_found')],
    [404, NOWHERE, transient('bad_answer')],
    [404, 'Nothing at /users/somebody', transient('bad_answer')],
    [401, 'You must authenticate to access this resource.', permanent('private')],
    [403, CLOSED, permanent('private')],
    [403, 'Forbidden', transient('refused')],
    [429, 'a message', transient('unavailable')],
    [500, UNKNOWN, transient('unavailable')],
    [422, 'a message', transient('bad_answer')],
  ])('reads the status %i with: %s', (status, message, result) => {
    expect(read(upstream, { message }, { status })).toEqual(result);
  });

  it('draws no conclusion about the user from foreign responses', () => {
    for (const body of [undefined, {}, { message: 7 }, [], 'text']) {
      expect(read(upstream, body, { status: 404 })).toEqual(transient('bad_answer'));
      expect(read(upstream, body, { status: 404, at: 2 })).toEqual(transient('bad_answer'));
      for (const status of [401, 403]) expect(read(upstream, body, { status })).toEqual(transient('refused'));
    }
    expect(read(upstream, { message: NOWHERE }, { status: 404, at: 2 })).toEqual(transient('bad_answer'));
  });

  it('ends at a missing page, and reports an invalid token', () => {
    expect(read(upstream, { message: 'a message' }, { status: 404, at: 2 })).toEqual({
      kind: 'page',
      items: [],
      next: null,
    });
    const known = catalog({ ...OWN, token: 'old' });
    expect(read(known, { message: CLOSED }, { status: 401 })).toEqual(transient('refused'));
    expect(read(known, { message: CLOSED }, { status: 403 })).toEqual(permanent('private'));
  });
});

it('rejects malformed bodies', () => {
  const all = [
    charts({ ...OWN, key: 'key' }),
    statistics({ ...OWN, key: null }),
    catalog({ ...OWN, token: null }),
  ];
  for (const body of MALFORMED)
    for (const upstream of all)
      expect(read(upstream, body), JSON.stringify(body)).toEqual(transient('bad_answer'));
});
