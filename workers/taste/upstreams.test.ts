import { describe, expect, it } from 'vitest';
import { chartsPage, collectionPage, statisticsPage } from '../../test/taste-upstream.ts';
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
const never = (failure: string) => ({ kind: 'never', failure });
const later = (failure: string, holdMs = 0) => ({ kind: 'later', failure, holdMs });
const item = (name: string, mbid: string | null = null, catalogArtistId: number | null = null) => ({
  name,
  mbid,
  catalogArtistId,
});

/** What no service may make more of than an answer that cannot be read. */
const SENSELESS: readonly unknown[] = [
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

describe('a listening service that is asked by method', () => {
  const upstream = charts({ ...OWN, key: 'the key' });

  it('is asked for a page of most played artists', () => {
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

  it('gives pages by numbers that are strings', () => {
    const page = chartsPage([{ name: 'Mono', mbid: MBID }, { name: 'Wax' }], 1, 2);
    const items = [item('Mono', MBID), item('Wax')];
    expect(read(upstream, page)).toEqual({ kind: 'page', items, next: 2 });
    expect(read(upstream, page, { at: 2 })).toEqual({ kind: 'page', items, next: null });
    expect(read(upstream, chartsPage([], 2, 9), { at: 2 })).toEqual({ kind: 'page', items: [], next: null });
    expect(read(upstream, chartsPage([], 1, 0))).toEqual({ kind: 'page', items: [], next: null });
  });

  it('gives a list of one as that one', () => {
    const { topartists } = chartsPage([{ name: 'Mono' }], 1, 1);
    const one = { topartists: { ...topartists, artist: topartists.artist[0] } };
    expect(read(upstream, one)).toEqual({ kind: 'page', items: [item('Mono')], next: null });
  });

  it('passes over entries that are no artists', () => {
    const { topartists } = chartsPage([{ name: 'Mono' }], 1, 1);
    const artist = [null, 7, {}, { name: 7 }, { name: '' }, ...topartists.artist, { name: 'Wax', mbid: {} }];
    expect(read(upstream, { topartists: { ...topartists, artist } })).toMatchObject({
      items: [item('Mono'), item('Wax')],
    });
  });

  it.each([
    [6, never('user_not_found')],
    [17, never('private')],
    [10, later('refused')],
    [26, later('refused')],
    [29, later('unavailable', 60_000)],
    [11, later('unavailable', 60_000)],
    [16, later('unavailable', 60_000)],
    [8, later('unavailable')],
    [999, later('unavailable')],
  ])('says the error %i, as a number or in digits, with status 200 or any other', (error, reading) => {
    for (const status of [200, 403, 404, 500])
      for (const said of [error, String(error)])
        expect(read(upstream, { error: said, message: 'a message', links: [] }, { status })).toEqual(reading);
  });

  it.each([
    [429, later('unavailable')],
    [502, later('unavailable')],
    [404, later('bad_answer')],
    [403, later('refused')],
    [418, later('bad_answer')],
  ])('says something by the status %i alone', (status, reading) => {
    expect(read(upstream, undefined, { status })).toEqual(reading);
  });
});

describe('a listening service that works statistics out', () => {
  const upstream = statistics({ ...OWN, key: null });

  it('is asked for a part of all time', () => {
    const { url, headers } = upstream.request('a/b?c é', 200);
    expect(url.href).toBe(
      'https://service.example/api/1/stats/user/a%2Fb%3Fc%20%C3%A9/artists?offset=200&count=100&range=all_time',
    );
    expect(headers).toEqual({ 'user-agent': 'Linernotes/1.0 +a@b' });
    const keyed = statistics({ ...OWN, key: 'the key' }).request('a', 0);
    expect(keyed.headers).toMatchObject({ authorization: 'Token the key' });
    expect(keyed.url.href).not.toContain('key');
  });

  it('goes on behind what it has given, as long as there is more', () => {
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
    [204, later('not_computed')],
    [404, later('bad_answer')],
    [401, later('refused')],
    [403, later('refused')],
    [429, later('unavailable')],
    [503, later('unavailable')],
    [400, later('bad_answer')],
  ])('says something by the status %i', (status, reading) => {
    expect(read(upstream, undefined, { status })).toEqual(reading);
  });

  it.each([
    ['Cannot find user: somebody', never('user_not_found')],
    ['User somebody not found', never('user_not_found')],
    ['Not Found', later('bad_answer')],
    ['/1/stats/user/somebody/artists leads nowhere', later('bad_answer')],
  ])('knows nobody only where it says so: %s', (error, reading) => {
    expect(read(upstream, { code: 404, error }, { status: 404 })).toEqual(reading);
  });
});

describe('a catalogue of releases', () => {
  const upstream = catalog({ ...OWN, token: null });

  it('is asked for a page of a collection', () => {
    const { url, headers } = upstream.request('a/../b', 2);
    expect(url.href).toBe(
      'https://service.example/api/users/a%2F..%2Fb/collection/folders/0/releases?page=2&per_page=100',
    );
    expect(headers).toEqual({ 'user-agent': 'Linernotes/1.0 +a@b' });
    const known = catalog({ ...OWN, token: 'the token' }).request('a', 1);
    expect(known.headers).toMatchObject({ authorization: 'Discogs token=the token' });
    expect(known.url.href).not.toContain('token');
  });

  it('gives the artists of releases, but for various ones', () => {
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

  it('passes over releases and artists that are none', () => {
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
    [404, UNKNOWN, never('user_not_found')],
    [404, NOWHERE, later('bad_answer')],
    [404, 'Nothing at /users/somebody', later('bad_answer')],
    [401, 'You must authenticate to access this resource.', never('private')],
    [403, CLOSED, never('private')],
    [403, 'Forbidden', later('refused')],
    [429, 'a message', later('unavailable')],
    [500, UNKNOWN, later('unavailable')],
    [422, 'a message', later('bad_answer')],
  ])('says something by the status %i with: %s', (status, message, reading) => {
    expect(read(upstream, { message }, { status })).toEqual(reading);
  });

  it('says nothing of a user where somebody else answers', () => {
    for (const body of [undefined, {}, { message: 7 }, [], 'text']) {
      expect(read(upstream, body, { status: 404 })).toEqual(later('bad_answer'));
      expect(read(upstream, body, { status: 404, at: 2 })).toEqual(later('bad_answer'));
      for (const status of [401, 403]) expect(read(upstream, body, { status })).toEqual(later('refused'));
    }
    expect(read(upstream, { message: NOWHERE }, { status: 404, at: 2 })).toEqual(later('bad_answer'));
  });

  it('ends before a page that is no longer there, and blames a token that does not hold', () => {
    expect(read(upstream, { message: 'a message' }, { status: 404, at: 2 })).toEqual({
      kind: 'page',
      items: [],
      next: null,
    });
    const known = catalog({ ...OWN, token: 'old' });
    expect(read(known, { message: CLOSED }, { status: 401 })).toEqual(later('refused'));
    expect(read(known, { message: CLOSED }, { status: 403 })).toEqual(never('private'));
  });
});

it('makes nothing of what is no answer', () => {
  const all = [
    charts({ ...OWN, key: 'key' }),
    statistics({ ...OWN, key: null }),
    catalog({ ...OWN, token: null }),
  ];
  for (const body of SENSELESS)
    for (const upstream of all)
      expect(read(upstream, body), JSON.stringify(body)).toEqual(later('bad_answer'));
});
