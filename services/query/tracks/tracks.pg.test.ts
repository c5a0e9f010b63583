import { describe, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import type { RowOf } from '../../../projections/contracts/columns.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { walkTitles } from '../../../projections/models/track/walk-titles.ts';
import { validError, withTracks } from '../../../test/support/query/track-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const XX = 'a1'.repeat(32);
const M83 = 'b2'.repeat(32);
const ALT_J = 'c3'.repeat(32);
const BJORK = 'd4'.repeat(32);
const FAIRUZ = 'e5'.repeat(32);
const PINK = 'f6'.repeat(32);
const LONG = 'Long '.repeat(60).trim();

let number = 0;
const hex = (value: number): string => value.toString(16).padStart(64, '0');

/** A recording with a name of its own. */
const recording = (
  artist: string,
  artist_credit: string,
  title: string,
  release_count: number,
): Partial<RowOf<typeof mbRecording.columns>> => {
  number++;
  return {
    recording_mbid: `0f0e0d0c-0b0a-4908-8706-${String(number).padStart(12, '0')}`,
    cluster_id: hex(number),
    artist_cluster_id: artist,
    artist_credit,
    title,
    release_count,
    isrcs: [],
  };
};

const track = (
  item_id: string,
  track_no: number,
  cluster_id: string,
  artist_name: string,
  title: string,
) => ({
  item_id,
  track_no,
  cluster_id,
  artist_name,
  title,
});

const manyOf = (title: string, count: number, first: number) =>
  Array.from({ length: count }, (_, index) => recording(hex(first + index), `Nobody ${index}`, title, 1));

const { tracks, send, pool } = withTracks(
  rowsOf(
    mbRecording,
    recording(XX, 'The xx', 'Intro', 40),
    recording(XX, 'The XX', 'INTRO', 2),
    recording(M83, 'M83 feat. Zola Jesus', 'Intro', 15),
    recording(ALT_J, 'alt‐J', '(Intro)', 8),
    recording(BJORK, 'Björk', 'Jóga', 9),
    recording(BJORK, 'Björk', 'Army of Me', 7),
    recording(M83, 'M83', 'Joga', 1),
    recording(FAIRUZ, 'فيروز', 'كيفك إنت', 3),
    recording(PINK, 'P!nk', 'So What', 11),
    recording(PINK, 'P!nk', '???', 1),
    recording(XX, 'The xx', '!!!', 1),
    recording(XX, 'The xx', 'What??? Now', 1),
    recording(XX, 'The xx', '100% [Mix_Tape] \\o/', 1),
    recording(XX, 'The xx', '100 Percent MixxTape', 1),
    recording(XX, ' ', 'Uncredited', 1),
    recording(ALT_J, 'alt-J', LONG, 1),
    // Three artists, each on four releases: one with two recordings, and two that only their ids order.
    recording(BJORK, 'Björk', 'Tied', 3),
    recording(BJORK, 'Björk', 'Tied!', 1),
    recording(M83, 'M83', 'Tied', 4),
    recording(ALT_J, 'alt-J', 'Tied', 4),
    ...Array.from({ length: 25 }, (_, index) => recording(hex(5_000 + index), 'Anyone', 'Crowd', 1)),
    ...manyOf('Popular', 250, 10_000),
    recording(XX, 'The xx', 'Popular', 70),
    ...manyOf('Enough', 250, 20_000),
    ...manyOf('Gentle touch', 251, 30_000),
    ...Array.from({ length: 39 }, (_, index) =>
      recording(hex(40_000 + index), `Teller ${index}`, `Other tale ${index}`, 1),
    ),
    recording(PINK, 'P!nk', 'Don’t Stop', 3),
    recording(M83, 'M83', 'You (Both] [Ways)', 2),
    recording(ALT_J, 'alt-J', '½ Moon', 2),
    recording(BJORK, 'Björk', 'Wait --- Now', 16),
    recording(FAIRUZ, 'فيروز', '---', 1),
    ...manyOf('Slow --- Down', 251, 50_000),
    recording(BJORK, 'Björk', '/// First', 16),
    ...manyOf('Half /// Way', 249, 60_000),
  ),
  rowsOf(
    storefrontTrack,
    track('i1', 1, XX, 'The xx', 'Intro'),
    track('i1', 2, XX, 'The xx', 'Intro (Reprise)'),
    track('i1', 3, XX, 'The xx', 'intro!'),
    track('i2', 1, XX, 'The xx (UK)', 'Intro'),
    track('i3', 1, PINK, 'P!nk', 'Intro'),
    track('i4', 1, PINK, 'P!nk', 'Self Released'),
    track('i4', 2, PINK, 'P!nk', '... Ready?'),
  ),
);

const linksOf = (cluster: string) => ({
  artist: `/api/v2/artist/${cluster}`,
  artist_dossier: `/api/v2/dossier/artist/${cluster}`,
});
const artistsOf = async (query: Readonly<Record<string, string>>) =>
  (await tracks(query)).results.map(({ clusterId, releases, recordings }) => [
    clusterId,
    releases,
    recordings,
  ]);

describe('a whole title', () => {
  it('returns the artists that recorded it, by releases', async () => {
    expect(await tracks({ title: 'Intro' })).toEqual({
      state: 'ok',
      source: 'mb',
      mode: 'exact',
      titleQuery: 'Intro',
      normalized: 'intro',
      truncated: false,
      count: 3,
      results: [
        {
          artistCredit: 'The xx',
          clusterId: XX,
          releases: 42,
          recordings: 2,
          sources: ['mb'],
          _links: linksOf(XX),
        },
        {
          artistCredit: 'M83 feat. Zola Jesus',
          clusterId: M83,
          releases: 15,
          recordings: 1,
          sources: ['mb'],
          _links: linksOf(M83),
        },
        {
          artistCredit: 'alt‐J',
          clusterId: ALT_J,
          releases: 8,
          recordings: 1,
          sources: ['mb'],
          _links: linksOf(ALT_J),
        },
      ],
    });
  });

  it.each([
    ['intro', 'intro'],
    ['  I.N.T.R.O. ', 'intro'],
    ['so, what?', 'sowhat'],
    ['JÓGA', 'jóga'],
    ['Jo\u0301ga', 'jóga'],
    ['\u200fكيفك إنت!', 'كيفكإنت'],
    ['!!!', '!!!'],
    ['? ? ?', '???'],
    [LONG.toUpperCase(), 'long'.repeat(60)],
  ])('is the same in any case and punctuation: %s', async (title, normalized) => {
    const response = await tracks({ title });
    expect(response).toMatchObject({ mode: 'exact', titleQuery: title, normalized, truncated: false });
    expect(response.count).toBeGreaterThan(0);
    expect(response.count).toBe(response.results.length);
  });

  it('matches as a whole and with its accents', async () => {
    expect(await artistsOf({ title: 'Joga' })).toEqual([[M83, 1, 1]]);
    expect(await artistsOf({ title: 'Jóga' })).toEqual([[BJORK, 9, 1]]);
    for (const title of ['Intr', 'Introo', 'What', '!!', '\u200e', ' ', 'nobody recorded this'])
      expect(await tracks({ title })).toMatchObject({ state: 'ok', count: 0, results: [], truncated: false });
  });

  it('has a total order: releases, then recordings, then ids', async () => {
    expect(await artistsOf({ title: 'tied' })).toEqual([
      [BJORK, 4, 2],
      [M83, 4, 1],
      [ALT_J, 4, 1],
    ]);
  });

  it('has no credit if the tracks have none', async () => {
    expect((await tracks({ title: 'uncredited' })).results).toMatchObject([{ artistCredit: null }]);
  });

  it('returns as many as requested, 20 by default', async () => {
    expect((await tracks({ title: 'Crowd' })).results.map(({ clusterId }) => clusterId)).toEqual(
      Array.from({ length: 20 }, (_, index) => hex(5_000 + index)),
    );
    expect(await tracks({ title: 'Crowd', limit: '50' })).toMatchObject({ count: 25 });
    expect(await artistsOf({ title: 'Intro', limit: '1' })).toEqual([[XX, 42, 2]]);
  });

  it('with more matches than are read is truncated and still has the best', async () => {
    const response = await tracks({ title: 'Popular', limit: '2' });
    expect(response).toMatchObject({ truncated: true, count: 2 });
    expect(response.results[0]).toMatchObject({ clusterId: XX, releases: 70 });
    expect(await tracks({ title: 'Enough' })).toMatchObject({ truncated: false, count: 20 });
  });
});

describe('the source', () => {
  it('may be the storefront, where each release counts once', async () => {
    expect(await tracks({ title: 'Intro', source: 'storefront' })).toMatchObject({
      source: 'storefront',
      results: [
        { artistCredit: 'The xx', clusterId: XX, releases: 2, recordings: 3, sources: ['storefront'] },
        { artistCredit: 'P!nk', clusterId: PINK, releases: 1, recordings: 1, sources: ['storefront'] },
      ],
    });
    expect(await artistsOf({ title: 'self-released' })).toEqual([]);
    expect(await artistsOf({ title: 'self-released', source: 'storefront' })).toEqual([[PINK, 1, 1]]);
  });

  it('may be both, merged for each artist', async () => {
    expect(await tracks({ title: 'Intro', source: 'all' })).toMatchObject({
      state: 'ok',
      source: 'all',
      count: 4,
      results: [
        { clusterId: XX, artistCredit: 'The xx', releases: 44, recordings: 5, sources: ['mb', 'storefront'] },
        { clusterId: M83, releases: 15, sources: ['mb'] },
        { clusterId: ALT_J, releases: 8, sources: ['mb'] },
        { clusterId: PINK, releases: 1, sources: ['storefront'] },
      ],
    });
    expect(await artistsOf({ title: 'ntro', fuzzy: 'true', source: 'all' })).toEqual([
      [XX, 44, 6],
      [M83, 15, 1],
      [ALT_J, 8, 1],
      [PINK, 1, 1],
    ]);
  });
});

describe('a part of a title', () => {
  const titled = async (title: string): Promise<string[]> =>
    (await tracks({ title, fuzzy: 'true' })).results.map(({ clusterId }) => clusterId);

  it('is found within, whatever its case', async () => {
    expect(await tracks({ title: ' Y OF  m', fuzzy: 'true' })).toEqual({
      state: 'ok',
      source: 'mb',
      mode: 'fuzzy',
      titleQuery: ' Y OF  m',
      normalized: 'y of m',
      truncated: false,
      count: 1,
      results: [
        {
          artistCredit: 'Björk',
          clusterId: BJORK,
          releases: 7,
          recordings: 1,
          sources: ['mb'],
          _links: linksOf(BJORK),
        },
      ],
    });
    expect(await titled('JÓG')).toEqual([BJORK]);
    expect(await titled('(int')).toEqual([ALT_J]);
    expect(await titled('يفك')).toEqual([FAIRUZ]);
    expect(await titled(LONG.slice(20, 220))).toEqual([ALT_J]);
    expect(await titled(`${LONG} more`)).toEqual([]);
    expect(await titled('thethethe')).toEqual([]);
    expect(await tracks({ title: 'Intro', fuzzy: 'false' })).toMatchObject({ mode: 'exact' });
  });

  it('treats its punctuation literally', async () => {
    expect(await titled('100%')).toEqual([XX]);
    expect(await titled('00% [')).toEqual([XX]);
    expect(await titled('mix_tape')).toEqual([XX]);
    expect((await tracks({ title: 'mix_tape', fuzzy: 'true' })).results[0]?.recordings).toBe(1);
    expect(await titled('pe] \\o/')).toEqual([XX]);
    expect(await titled('%tape')).toEqual([]);
    expect(await titled("int'; drop")).toEqual([]);
    expect(await titled('int\0ro')).toEqual([]);
  });

  it.each(['', 'a', 'in', '  in  ', '愛恋', '!!'])(
    'of less than three characters finds nothing: %j',
    async (title) => {
      expect(await tracks({ title, fuzzy: 'true' })).toEqual({
        state: 'ok',
        source: 'mb',
        mode: 'fuzzy',
        titleQuery: title,
        normalized: title.trim(),
        truncated: false,
        count: 0,
        results: [],
      });
    },
  );

  it('is matched as a whole, though many titles have its end', async () => {
    const response = await tracks({ title: 'r t', fuzzy: 'true', limit: '50' });
    expect(response).toMatchObject({ truncated: false, count: 39 });
    expect(response.results.map(({ clusterId }) => clusterId)).toEqual(
      Array.from({ length: 39 }, (_, index) => hex(40_000 + index)),
    );
    expect(await tracks({ title: 'e t', fuzzy: 'true' })).toMatchObject({ truncated: true });
  });

  it.each([
    ['???', [XX, PINK]],
    ['!!!', [XX]],
    ['***', []],
    ['??? n', [XX]],
    ['n’t', [PINK]],
    ['u (', [M83]],
    ['h] [', [M83]],
    ['1⁄2', [ALT_J]],
    ['½', [ALT_J]],
    ['…', []],
  ])('of punctuation is found in all titles if these are few: %s', async (title, found) => {
    const response = await tracks({ title, fuzzy: 'true' });
    expect(response).toMatchObject({ state: 'ok', truncated: false, count: found.length });
    expect(response.results.map(({ clusterId }) => clusterId).toSorted()).toEqual(found.toSorted());
  });

  it('of punctuation is found on the storefront', async () => {
    const response = await tracks({ title: '...', fuzzy: 'true', source: 'storefront' });
    expect(response).toMatchObject({ truncated: false, results: [{ clusterId: PINK }] });
  });

  it('of punctuation in many titles is found in a sample with the best', async () => {
    const response = await tracks({ title: '---', fuzzy: 'true', limit: '50' });
    expect(response).toMatchObject({ truncated: true, count: 50 });
    expect(response.results[0]).toMatchObject({ clusterId: BJORK, releases: 16 });
    expect(await tracks({ title: '///', fuzzy: 'true', limit: '1' })).toMatchObject({
      truncated: false,
      results: [{ clusterId: BJORK }],
    });
  });

  it('of punctuation ends at the time limit', async () => {
    const walk = (pattern: string, maxMs?: number) =>
      transaction(pool, (client) => walkTitles(client, 'mb', { pattern, maxMs: maxMs }));
    const { ids, isTruncated } = await walk('%///%');
    expect([new Set(ids).size, isTruncated]).toEqual([250, false]);
    expect(await walk('%no such%', 0)).toEqual({ ids: [], isTruncated: true });
    expect(await walk('%no such%')).toEqual({ ids: [], isTruncated: false });
  });

  it('with more matches than are read is truncated and still has the best', async () => {
    const response = await tracks({ title: 'opula', fuzzy: 'true', limit: '2' });
    expect(response).toMatchObject({ truncated: true, count: 2 });
    expect(response.results[0]).toMatchObject({ clusterId: XX, releases: 70 });
    expect(await tracks({ title: 'noug', fuzzy: 'true' })).toMatchObject({ truncated: false, count: 20 });
  });
});

describe('invalid requests', () => {
  it.each([
    [{}, 'title', 'is required'],
    [{ title: '' }, 'title', 'must not be empty'],
    [{ title: 'a', limit: '0' }, 'limit', expect.stringContaining('>= 1')],
    [{ title: 'a', limit: '51' }, 'limit', expect.stringContaining('<= 50')],
    [{ title: 'a', limit: '2.5' }, 'limit', expect.stringContaining('integer')],
    [{ title: 'a', fuzzy: 'yes' }, 'fuzzy', expect.stringContaining('boolean')],
    [{ title: 'a', source: 'catalog' }, 'source', 'must be one of mb, storefront, all'],
  ])('are rejected: %j', async (query, path, message) => {
    const rejection = validError(await send({ url: '/api/v2/tracks', query: { ...query } }), 400);
    expect(rejection).toMatchObject({ error: 'invalid_query', param: path, details: [{ path, message }] });
  });

  it('without an API key are rejected', async () => {
    const response = await send({ url: '/api/v2/tracks?title=Intro', headers: { 'x-api-key': '' } });
    expect(validError(response, 401)).toMatchObject({ error: 'missing_api_key' });
  });
});
