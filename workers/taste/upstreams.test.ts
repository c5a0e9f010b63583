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
const later = (failure: string) => ({ kind: 'later', failure });
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
    [29, later('unavailable')],
    [11, later('unavailable')],
    [16, later('unavailable')],
    [8, later('unavailable')],
    [999, later('unavailable')],
  ])('says the error %i with status 200 or any other', (error, reading) => {
    for (const status of [200, 403, 404, 500])
      expect(read(upstream, { error, message: 'a message', links: [] }, { status })).toEqual(reading);
  });

  it.each([
    [429, later('unavailable')],
    [502, later('unavailable')],
    [404, never('user_not_found')],
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
    [404, never('user_not_found')],
    [401, later('refused')],
    [429, later('unavailable')],
    [503, later('unavailable')],
    [400, later('bad_answer')],
  ])('says something by the status %i', (status, reading) => {
    expect(read(upstream, undefined, { status })).toEqual(reading);
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

  it.each([
    [404, never('user_not_found')],
    [401, never('private')],
    [403, never('private')],
    [429, later('unavailable')],
    [500, later('unavailable')],
    [422, later('bad_answer')],
  ])('says something by the status %i', (status, reading) => {
    expect(read(upstream, { message: 'a message' }, { status })).toEqual(reading);
  });

  it('ends before a page that is no longer there, and blames a token that does not hold', () => {
    expect(read(upstream, {}, { status: 404, at: 2 })).toEqual({ kind: 'page', items: [], next: null });
    expect(read(catalog({ ...OWN, token: 'old' }), {}, { status: 401 })).toEqual(later('refused'));
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
