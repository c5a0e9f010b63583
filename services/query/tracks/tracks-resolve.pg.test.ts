import { describe, expect, it, vi } from 'vitest';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { validError, withTracks } from '../../../test/support/query/track-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const APHEX = 'a1'.repeat(32);
const LONG = 'l'.repeat(300);
const page = (slug: string): string => `https://aphextwin.bandcamp.com/track/${slug}`;

const RECORDINGS = [
  ['Aphex Twin', 'Windowlicker', 367_499, 12],
  ['Aphex Twin', 'Xtal', 293_500, 9],
  ['Aphex Twin', 'Xtal (Live)', 400_000, 1],
  ['Aphex Twin', 'Ageispolis (Original Mix)', 321_000, 3],
  ['Aphex Twin', 'Ageispolis (Luke Vibert Remix)', 302_000, 5],
  ['Aphex Twin', 'Untimed', null, 9],
  ['Aphex Twin', 'Untimed', 100_000, 1],
  ['Aphex Twin', 'Negative', -1, 1],
  ['Björk', 'Jóga', 304_000, 9],
  ['Bjork', 'Army of Me', 236_000, 9],
  ['P!nk', 'So What', 215_000, 9],
  ['!!!', 'Heart of Hearts', 350_000, 2],
  ['+/-', 'All I Do', 239_000, 2],
  ['فيروز', 'كيفك إنت', 280_000, 2],
  ['Various Artists', 'Megamix', 600_000, 2],
  ['Somebody', LONG, 61_000, 1],
  ['Somebody', '???', 5_000, 1],
  ['Joe', 'Timed', 95_000, 0],
  ['Joe', 'Timed', 181_000, 40],
  ['Joe', 'Timed', 97_000, 3],
  ['Joe', 'Silence', 0, 1],
  ['Lil Nas X feat. Jack Harlow', 'Industry Baby', 212_000, 30],
  ['Lil Nas X', 'Rodeo', 158_000, 5],
  ['Lil Nas X ft. Nas', 'Rodeo', 239_000, 9],
] as const;

const { resolve, resolveOne, send, open, pool } = withTracks(
  rowsOf(
    mbRecording,
    ...RECORDINGS.map(([artist_credit, title, length_ms, release_count], index) => ({
      recording_mbid: `0f0e0d0c-0b0a-4908-8706-${String(index).padStart(12, '0')}`,
      // Rows with the same artist and title share one name, as producers send it.
      cluster_id: RECORDINGS.findIndex(([artist, name]) => artist === artist_credit && name === title)
        .toString(16)
        .padStart(64, '0'),
      artist_cluster_id: APHEX,
      artist_credit,
      title,
      length_ms,
      release_count,
      isrcs: [],
    })),
  ),
  rowsOf(storefrontItem, { item_id: 'saw', cluster_id: APHEX, title: 'Selected Ambient Works 85–92' }),
  rowsOf(
    storefrontTrack,
    ...(
      [
        ['saw', 1, 'Aphex Twin', 'Xtal', 294_499, page('xtal')],
        ['saw', 2, 'Aphex Twin', 'Tha (Original Mix)', 541_000, page('tha')],
        ['saw', 3, 'Aphex Twin', 'Windowlicker (Radio Edit)', 200_000, page('windowlicker-edit')],
        ['saw', 4, 'Aphex Twin', 'Untimed', null, null],
        ['sampler', 1, 'Various Artists', 'Hidden', 60_500, 'https://t4.bcbits.com/stream/1'],
        ['sampler', 2, 'Unknown Artist', 'Hidden (Extended Mix)', 90_000, null],
        ['sampler', 3, ' ', 'Nameless', 30_000, null],
      ] as const
    ).map(([item_id, track_no, artist_name, title, duration_ms, track_url]) => ({
      item_id,
      track_no,
      cluster_id: APHEX,
      artist_name,
      title,
      duration_ms,
      track_url,
    })),
  ),
);

const one = async (artist: string | null, title: string) => {
  const { results } = await resolve({ tracks: [{ artist, title }] });
  return results[0];
};
const unmatched = (artist: string | null, title: string) => ({
  query_index: 0,
  matched: false,
  confidence: 0,
  artist,
  title,
  release_title: null,
  storefront_item_id: null,
  track_url: null,
  duration_s: null,
  source: null,
  fingerprint: null,
});

describe('a track', () => {
  it('is returned whole from the metadata database', async () => {
    expect(await resolve({ tracks: [{ artist: 'björk', title: 'jóga' }] })).toEqual({
      state: 'ok',
      results: [
        { ...unmatched('Björk', 'jóga'), matched: true, confidence: 1, duration_s: 304, source: 'mb' },
      ],
      unsupported: [],
    });
  });

  it('is returned whole from the storefront, which wins ties', async () => {
    expect(await one('APHEX TWIN', 'xtal')).toEqual({
      query_index: 0,
      matched: true,
      confidence: 1,
      artist: 'Aphex Twin',
      title: 'xtal',
      release_title: 'Selected Ambient Works 85–92',
      storefront_item_id: 'saw',
      track_url: page('xtal'),
      duration_s: 294,
      source: 'storefront',
      fingerprint: null,
    });
    expect(await one('Aphex Twin', 'Untimed')).toMatchObject({ source: 'storefront', duration_s: null });
  });

  it('of greater confidence wins, from either corpus', async () => {
    expect(await one('Aphex Twin', 'Windowlicker')).toMatchObject({
      confidence: 1,
      source: 'mb',
      duration_s: 367,
      release_title: null,
      storefront_item_id: null,
      track_url: null,
    });
  });

  it.each([
    ['Aphex Twin', 'WINDOW LICKER'],
    ['aphextwin', 'Window-Licker!'],
    [' Aphex  Twin ', 'window.licker'],
    ['P!NK', 'so what?'],
    ['PNK', 'So What'],
    ['!!!', 'Heart of Hearts'],
    ['! ! !', 'heart of hearts'],
    ['+/-', 'All I Do'],
    ['\u200fفيروز', 'كيفك إنت'],
    ['BJÖRK', 'JÓGA'],
    ['Somebody', LONG],
    ['Somebody', '? ? ?'],
  ])('matches in any case, punctuation and spacing: %s, %s', async (artist, title) => {
    expect(await one(artist, title)).toMatchObject({ matched: true, confidence: 1, title });
  });

  it.each([
    ['Bjork', 'Jóga'],
    ['Björk', 'Joga'],
    ['Björk', 'Army of Me'],
    ['Pink', 'So What'],
    ['???', 'Heart of Hearts'],
    ['+', 'All I Do'],
    ['Aphex', 'Twin Windowlicker'],
    ['Aphex Twin', 'Windowlicker 2'],
    ['Aphex Twin', ' '],
    ['Nobody', 'Xtal'],
    ['Aphex Twin', "Xtal' or '1'='1"],
    ['Aphex Twin', 'Xtal\0'.repeat(2)],
  ])('does not match another: %s, %s', async (artist, title) => {
    expect(await one(artist, title)).toEqual(unmatched(artist, title));
  });

  it.each([
    ['Xtal (Original Mix)', 294],
    ['Xtal - Remastered 2011', 294],
    ['Xtal feat. Somebody', 294],
    ['Xtal (Somebody Remix) [Radio Edit]', 294],
    ['Xtal Remix', 294],
    ['Xtal (Original)', 294],
    ['Xtal {Extended}', 294],
    ['Xtal（Original Mix）', 294],
    ['Xtal (feat. Somebody', 294],
    ['Xtal (Remix by Joe)', 294],
    ['Xtal w/ Bob', 294],
    ['Tha', 541],
    ['Tha (Extended Mix)', 541],
    ['Ageispolis', 302],
  ])('matches without its version, with less confidence: %s', async (title, duration_s) => {
    expect(await one('Aphex Twin', title)).toMatchObject({ confidence: 0.8, title, duration_s });
  });

  it('prefers a match with its version', async () => {
    expect(await one('Aphex Twin', 'Ageispolis - Original Mix')).toMatchObject({
      confidence: 1,
      duration_s: 321,
    });
    expect(await one('Aphex Twin', 'Xtal (live)')).toMatchObject({ confidence: 1, duration_s: 400 });
  });

  it('prefers a match with a known length', async () => {
    const { results } = await resolve({ tracks: [{ artist: 'Aphex Twin', title: 'Negative' }] });
    expect(results).toMatchObject([{ matched: true, source: 'mb', duration_s: null }]);
    const app = await open({});
    await pool.query('alter view read.storefront_track rename to storefront_track_away');
    try {
      const response = await app.resolve({ tracks: [{ artist: 'Aphex Twin', title: 'Untimed' }] });
      expect(response).toMatchObject({ state: 'degraded', results: [{ source: 'mb', duration_s: 100 }] });
    } finally {
      await pool.query('alter view read.storefront_track_away rename to storefront_track');
      await app.close();
    }
  });
});

describe('a track of several that match', () => {
  it('is the one on most releases', async () => {
    expect(await one('Joe', 'Timed')).toMatchObject({ confidence: 1, duration_s: 181 });
    expect(await one('Joe', 'Timed (Radio Edit)')).toMatchObject({ confidence: 0.8, duration_s: 181 });
  });

  it('without a length has none in the result', async () => {
    expect(await one('Joe', 'Silence')).toMatchObject({ matched: true, source: 'mb', duration_s: null });
  });
});

describe('guests of an artist', () => {
  it.each([
    ['Lil Nas X feat. Jack Harlow', 'Industry Baby', 1, 212],
    ['Lil Nas X', 'Industry Baby', 0.8, 212],
    ['Lil Nas X', 'Industry Baby (feat. Jack Harlow)', 0.8, 212],
    ['LIL NAS X (ft. Somebody)', 'Industry Baby - Remix', 0.8, 212],
    ['Lil Nas X', 'Rodeo', 1, 158],
    ['Lil Nas X feat. Cardi B', 'Rodeo', 0.8, 239],
    ['Lil Nas X w/ Cardi B', 'Rodeo', 0.8, 239],
    ['Lil Nas X ft. Nas', 'Rodeo', 1, 239],
  ])('may be left out on either side: %s, %s', async (artist, title, confidence, duration_s) => {
    expect(await one(artist, title)).toMatchObject({ matched: true, confidence, duration_s });
  });

  it.each(['Jack Harlow', 'Lil Nas', 'Lil Nas X & Jack Harlow'])('are not the artist: %s', async (artist) => {
    expect(await one(artist, 'Industry Baby')).toEqual(unmatched(artist, 'Industry Baby'));
  });
});

describe('a track without an artist', () => {
  it.each([
    null,
    '',
    '  ',
    'Unknown',
    'unknown artist',
    'Artist Unknown',
    'Various Artists',
    'VA',
    'N/A',
    '?',
    '???',
    '-',
    'none',
    'null',
  ])('is found by its title on the storefront alone: %j', async (artist) => {
    expect(await one(artist, 'Hidden')).toEqual({
      query_index: 0,
      matched: true,
      confidence: 0.5,
      artist: 'Various Artists',
      title: 'Hidden',
      release_title: null,
      storefront_item_id: 'sampler',
      track_url: null,
      duration_s: 61,
      source: 'storefront',
      fingerprint: null,
    });
    expect(await one(artist, 'Windowlicker (Club Mix)')).toMatchObject({
      confidence: 0.5,
      duration_s: 200,
    });
    expect(await one(artist, 'Jóga')).toEqual(unmatched(artist, 'Jóga'));
    expect(await one(artist, 'Megamix')).toEqual(unmatched(artist, 'Megamix'));
  });

  it('may have no artist member and no credit', async () => {
    const { results } = await resolve({ tracks: [{ title: 'Nameless' }, { title: 'Not there' }] });
    expect(results).toMatchObject([
      { query_index: 0, matched: true, artist: null, duration_s: 30 },
      { query_index: 1, matched: false, artist: null },
    ]);
  });

  it('is not found by its title if an artist is given', async () => {
    expect(await one('Somebody Else', 'Hidden')).toEqual(unmatched('Somebody Else', 'Hidden'));
  });
});

describe('want', () => {
  const tracks = [{ artist: 'Aphex Twin', title: 'Xtal' }];
  const unsupported = [{ want: 'fingerprint', reason: expect.stringMatching(/\.$/) }];

  it.each([
    [undefined, 294, []],
    [['duration'], 294, []],
    [['duration', 'fingerprint'], 294, unsupported],
    [['fingerprint', 'duration', 'fingerprint'], 294, unsupported],
    [['fingerprint'], null, unsupported],
    [[], null, []],
  ])('%j', async (want, duration_s, unsupported) => {
    const response = await resolve({ want, tracks });
    expect(response).toMatchObject({
      state: 'ok',
      results: [{ matched: true, duration_s, fingerprint: null }],
    });
    expect(response.unsupported).toEqual(unsupported);
  });
});

describe('a batch', () => {
  it('keeps its order with repeats and runs one statement per corpus', async () => {
    const app = await open({});
    await app.resolve({ tracks: [{ title: 'first' }] });
    const query = vi.spyOn(pool, 'query');
    const tracks = Array.from({ length: 50 }, (_, index) => {
      const [artist, title] = RECORDINGS[index % 3] ?? ['', ''];
      return index % 10 === 9
        ? { artist, title: `${title} ${index}`, year: null, duration_hint_s: null }
        : { artist, title: `${title} (Mix)`, year: 1999, duration_hint_s: 300.5 };
    });
    const { results } = await app.resolve({ tracks });
    const names = query.mock.calls.map(([statement]) => (statement as unknown as { name: string }).name);
    query.mockRestore();
    await app.close();
    expect(names.toSorted()).toEqual(['mb-track-candidates', 'storefront-track-candidates']);
    expect(results.map(({ query_index }) => query_index)).toEqual(tracks.map((_, index) => index));
    expect(results.map(({ matched }) => matched)).toEqual(tracks.map((_, index) => index % 10 !== 9));
    expect(results.map(({ title }) => title)).toEqual(tracks.map(({ title }) => title));
  });

  const track = { artist: 'Aphex Twin', title: 'Xtal' };
  it.each([
    [{}, 'tracks', 'is required'],
    [{ tracks: [] }, 'tracks', expect.stringContaining('fewer than 1')],
    [{ tracks: Array(51).fill(track) }, 'tracks', expect.stringContaining('more than 50')],
    [{ tracks: [track, { artist: 'Aphex Twin' }] }, 'tracks.1.title', 'is required'],
    [{ tracks: [{ title: '' }] }, 'tracks.0.title', expect.stringContaining('fewer than 1')],
    [{ tracks: [{ title: `${LONG}l` }] }, 'tracks.0.title', expect.stringContaining('more than 300')],
    [
      { tracks: [track, { ...track, artist: 'a'.repeat(1_001) }] },
      'tracks.1.artist',
      expect.stringContaining('more than 1000'),
    ],
    [{ tracks: [{ ...track, isrc: 'x' }] }, 'tracks.0.isrc', 'is not a field that is known here'],
    [{ tracks: [track], limit: 3 }, 'limit', 'is not a parameter of this route'],
    [{ tracks: [{ ...track, year: 'nineteen' }] }, 'tracks.0.year', expect.any(String)],
    [{ tracks: [{ ...track, duration_hint_s: 'long' }] }, 'tracks.0.duration_hint_s', expect.any(String)],
    [{ tracks: [{ title: true }] }, 'tracks.0.title', 'must be string'],
    [{ tracks: [{ title: null }] }, 'tracks.0.title', 'must be string'],
    [{ tracks: [{ title: ['Xtal'] }] }, 'tracks.0.title', 'must be string'],
    [{ tracks: [{ ...track, artist: false }] }, 'tracks.0.artist', 'must be string or null'],
    [{ tracks: [{ ...track, year: '1992' }] }, 'tracks.0.year', 'must be integer or null'],
    [{ tracks: [track], want: 'duration' }, 'want', 'must be array'],
    [{ tracks: [track], want: ['waveform'] }, 'want.0', 'must be one of duration, fingerprint'],
  ])('that is invalid is rejected: %#', async (payload, path, message) => {
    const response = await send({ method: 'POST', url: '/api/v2/tracks/resolve', payload });
    expect(validError(response, 400)).toMatchObject({
      error: 'invalid_query',
      param: path,
      details: expect.arrayContaining([{ path, message }]),
    });
  });

  it('of another media type is rejected', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await send({ method: 'POST', url: '/api/v2/tracks/resolve', headers, payload: '{}' });
    expect(validError(response, 415)).toMatchObject({ error: 'unsupported_media_type' });
  });

  it('that is not JSON is rejected', async () => {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', url: '/api/v2/tracks/resolve', headers } as const;
    expect(validError(await send({ ...request, payload: '{' }), 400)).toMatchObject({
      error: 'invalid_json',
    });
  });

  it('counts characters, not code units', async () => {
    const title = '𝄞'.repeat(300);
    const artist = '𝄞'.repeat(1_000);
    expect(await one(artist, title)).toEqual(unmatched(artist, title));
  });
});

describe('one track by GET', () => {
  it.each([
    [{ artist: 'Aphex Twin', title: 'Xtal' }, {}],
    [{ artist: 'Aphex Twin', title: 'Xtal', want: 'duration' }, { want: ['duration'] }],
    [
      { artist: 'Aphex Twin', title: 'Xtal', want: 'duration,fingerprint' },
      { want: ['duration', 'fingerprint'] },
    ],
    [{ artist: 'Aphex Twin', title: 'Xtal', want: 'fingerprint' }, { want: ['fingerprint'] }],
    [{ artist: '', title: 'Hidden' }, {}],
    [{ artist: 'VA', title: 'Hidden' }, {}],
    [{ artist: 'Nobody', title: 'Nothing' }, {}],
  ])('returns the result of a batch of one: %j', async (query, { want }: { want?: string[] }) => {
    const { artist, title } = query;
    expect(await resolveOne(query as Record<string, string>)).toEqual(
      await resolve({ want, tracks: [{ artist, title }] }),
    );
  });

  it('accepts want more than once and no artist', async () => {
    const response = await send({
      url: '/api/v2/tracks/resolve?title=Hidden&want=fingerprint&want=duration',
    });
    expect(response.json()).toMatchObject({
      results: [{ query_index: 0, matched: true, duration_s: 61 }],
      unsupported: [{ want: 'fingerprint' }],
    });
    expect((await resolveOne({ title: 'Nothing' })).results).toMatchObject([{ artist: null }]);
  });

  it.each([
    ['artist=Aphex%20Twin', 'title', 'is required'],
    ['title=', 'title', expect.stringContaining('fewer than 1')],
    [`title=${LONG}l`, 'title', expect.stringContaining('more than 300')],
    [`title=Xtal&artist=${'a'.repeat(1_001)}`, 'artist', expect.stringContaining('more than 1000')],
    ['title=Xtal&want=waveform', 'want.0', expect.stringContaining('pattern')],
  ])('is rejected if invalid: %s', async (query, path, message) => {
    const rejection = validError(await send({ url: `/api/v2/tracks/resolve?${query}` }), 400);
    expect(rejection).toMatchObject({ error: 'invalid_query', details: [{ path, message }] });
  });
});

describe('the limit of 60 requests a minute', () => {
  const ONE_TRACK = '/api/v2/tracks/resolve?title=Hidden';

  it('counts both methods together, separately from other routes, and resets', async () => {
    let now = Date.UTC(2026, 0, 1, 0, 0, 20);
    const app = await open({ now: () => now }, 'standard');
    const other = await app.send({ url: '/api/v2/tracks?title=Xtal' });
    expect(other.headers['x-ratelimit-limit']).toBe('60000');
    for (let count = 1; count <= 60; count++) {
      const response = await app.send(
        count % 2 === 0
          ? { url: ONE_TRACK }
          : { method: 'POST', url: '/api/v2/tracks/resolve', payload: { tracks: [{ title: 'Hidden' }] } },
      );
      expect(response.statusCode).toBe(200);
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': String(60 - count),
        'x-ratelimit-reset': String(Date.UTC(2026, 0, 1, 0, 1) / 1_000),
      });
    }
    const rejected = await app.send({ url: ONE_TRACK });
    expect(validError(rejected, 429)).toMatchObject({ error: 'rate_limited', retry_after_seconds: 40 });
    expect(rejected.headers).toMatchObject({ 'retry-after': '40', 'x-ratelimit-remaining': '0' });
    const elsewhere = await app.send({ url: '/api/v2/tracks?title=Xtal' });
    // One for each request that was answered or rejected before it.
    expect(elsewhere.headers['x-ratelimit-remaining']).toBe(String(60_000 - 63));
    now += 40_000;
    expect((await app.send({ url: ONE_TRACK })).headers['x-ratelimit-remaining']).toBe('59');
    await app.close();
  });

  it('applies in addition to the general limit', async () => {
    const app = await open({ limits: { perKey: 1, perAddress: 1 }, now: () => 0 }, 'standard');
    expect((await app.send({ url: ONE_TRACK })).headers['x-ratelimit-remaining']).toBe('59');
    const rejected = await app.send({ url: ONE_TRACK });
    expect(validError(rejected, 429)).toMatchObject({ error: 'rate_limited' });
    expect(rejected.headers['x-ratelimit-limit']).toBe('1');
    await app.close();
  });
});
