import { describe, expect, it } from 'vitest';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { catalogMasterCube } from '../../../projections/contracts/catalog/master-cube.ts';
import type { Row } from '../../../projections/contracts/contract.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withSearch } from '../../../test/support/search/service.ts';
import type { Interpretation } from '../plain-language/interpretation.ts';

const plain: Pick<Row<typeof catalogMaster>, 'catalog_artist_ids' | 'artist_cluster_id'> = {
  catalog_artist_ids: [],
  artist_cluster_id: null,
};

const masters = [
  { master_id: 1, title: 'Blue', artist_display: 'Joni', year: 1971, genres: ['Folk'], labels: ['Reprise'] },
  {
    master_id: 2,
    title: 'Kind of Blue',
    artist_display: 'Miles',
    year: 1959,
    genres: ['Jazz'],
    country: 'US',
  },
  {
    master_id: 3,
    title: 'Red',
    artist_display: 'Blue',
    year: 1974,
    genres: ['Rock', 'Pop'],
    formats: ['LP'],
  },
  { master_id: 4, title: 'Bluebell', artist_display: 'Red', year: null, styles: ['Dub', 'Acid'] },
  { master_id: 5, title: 'Night', artist_display: 'Blue Miles', genres: ['Jazz'], styles: ['Dub'] },
  { master_id: 6, title: '!!!', artist_display: '!!!', genres: ['Rock'], formats: ['CD', 'LP'] },
  { master_id: 7, title: 'Próxima Estación', artist_display: 'AC/DC', labels: ['Warp', 'Reprise'] },
  { master_id: 8, title: '東京', artist_display: 'P!nk', country: 'JP', labels: ['Warp'] },
  { master_id: 9, title: 'The The', artist_display: 'A.D.H.D', catalog_artist_ids: [11] },
  { master_id: 10, title: 'The', artist_display: '+/-', catalog_artist_ids: [11, 12] },
];

const cubes = [
  { master_id: 1, cube_quadrant: '111', owner_count: 5, dj_count: 2, critic_count: 1 },
  { master_id: 2, cube_quadrant: '110', owner_count: 9, dj_count: 0, critic_count: null },
  { master_id: 3, cube_quadrant: '100', owner_count: 9, dj_count: 7, critic_count: 0 },
  { master_id: 5, cube_quadrant: '111', owner_count: null, dj_count: 3, critic_count: null },
];

const service = withSearch([
  rowsOf(catalogMaster, ...masters.map((master) => ({ ...plain, ...master }))),
  rowsOf(catalogMasterCube, ...cubes),
  rowsOf(artistIdentityBridge, {
    cluster_id: CLUSTER,
    catalog_artist_id: 11,
    catalog_artist_id_count: 1,
    is_exact: true,
  }),
]);
const { search, ids, rejected } = service;

describe('a search', () => {
  it('returns rows, pages, facets, freshness and a beacon token', async () => {
    const body = await search({ q: 'blue' });
    expect(body).toEqual({
      query: { q: 'blue', filters: [] },
      pagination: { page: 1, total_pages: 1, total_results: 5, total_results_mode: 'exact' },
      facets: {
        genre: {
          values: [
            { value: 'Jazz', count: 2 },
            { value: 'Folk', count: 1 },
            { value: 'Pop', count: 1 },
            { value: 'Rock', count: 1 },
          ],
          count_mode: 'exact',
        },
        style: {
          values: [
            { value: 'Dub', count: 2 },
            { value: 'Acid', count: 1 },
          ],
          count_mode: 'exact',
        },
        format: { values: [{ value: 'LP', count: 1 }], count_mode: 'exact' },
        country: { values: [{ value: 'US', count: 1 }], count_mode: 'exact' },
        label: { values: [{ value: 'Reprise', count: 1 }], count_mode: 'exact' },
        cube_quadrant: {
          values: [
            { value: '111', count: 2 },
            { value: '100', count: 1 },
            { value: '110', count: 1 },
          ],
          count_mode: 'exact',
        },
      },
      freshness: { ridden_lag_s: expect.any(Number), mirror_lag_s: null },
      results: expect.any(Array),
      telemetry: {
        search_event_id: expect.any(String),
        beacon_token: expect.any(String),
        expires_at: expect.any(String),
      },
    });
    expect(body.results.map(({ master_id }) => master_id)).toEqual([3, 1, 2, 4, 5]);
    expect(body.results[1]).toEqual({
      master_id: 1,
      title: 'Blue',
      artist: 'Joni',
      year: 1971,
      cube_quadrant: '111',
      owner_count: 5,
      dj_count: 2,
      critic_count: 1,
      formats: [],
      link_to_cube: `${BASE_URL}/explorer/cube?quadrant=111&master=1`,
      artist_cluster_id: null,
    });
    expect(body.results[3]).toMatchObject({
      cube_quadrant: null,
      link_to_cube: `${BASE_URL}/explorer/cube?master=4`,
    });
  });

  it('gives each response its own beacon token, valid only for that search', async () => {
    const [one, other] = [await search({ q: 'blue' }), await search({ q: 'blue' })];
    expect(one.telemetry.search_event_id).not.toBe(other.telemetry.search_event_id);
    const [, payload = ''] = one.telemetry.beacon_token.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      sub: one.telemetry.search_event_id,
      exp: Date.parse(one.telemetry.expires_at) / 1_000,
    });
  });

  it('ranks exact titles and artists first, then all words in the title, then the rest, each by popularity', async () => {
    expect(await ids({ q: 'blue' })).toEqual([3, 1, 2, 4, 5]);
    expect(await ids({ q: 'joni blue' })).toEqual([1]);
    expect(await ids({ q: 'miles' })).toEqual([2, 5]);
    expect(await ids({ q: 'the' })).toEqual([10, 9]);
    expect(await ids({ q: 'The The' })).toEqual([9, 10]);
  });

  it('names the artist cluster only if one artist is credited and bound with certainty', async () => {
    const clusters = (await search({ q: 'the' })).results.map((row) => [
      row.master_id,
      row.artist_cluster_id,
    ]);
    expect(clusters).toEqual([
      [10, null],
      [9, CLUSTER],
    ]);
  });

  it.each([
    ['PROXIMA', [7]],
    ['próxima estación', [7]],
    ['proxima est', [7]],
    ['estacion proxima', [7]],
    ['acdc', [7]],
    ['ac dc', [7]],
    ['AC/DC', [7]],
    ['adhd', [9]],
    ['A.D.H.D', [9]],
    ['P!nk', [8]],
    ['pink', [8]],
    ['!!!', [6]],
    ['+/-', [10]],
    ['東京', [8]],
    ['京', [8]],
    ['blueb', [4]],
    ['bluebell red', [4]],
    ['ells', []],
    ['nothing like it', []],
  ])('by %j finds %j', async (q, expected) => {
    expect(await ids({ q })).toEqual(expected);
  });

  it('echoes the query and the filters', async () => {
    const { query } = await search({
      q: '  Blue ',
      genre: ['Jazz', 'Folk'],
      genre_mode: 'or',
      style: 'Dub',
      year_from: '1950',
      exclude_artist: 'Nobody',
      limit: '3',
    });
    expect(query).toEqual({
      q: '  Blue ',
      filters: [
        { facet: 'genre', value: ['Jazz', 'Folk'], mode: 'or' },
        { facet: 'style', value: 'Dub', mode: 'or' },
        { facet: 'year_from', value: '1950', mode: 'and' },
        { facet: 'exclude_artist', value: 'Nobody', mode: 'and' },
      ],
    });
  });
});

describe('the filters', () => {
  it.each([
    [{ genre: 'Jazz' }, [2, 5]],
    [{ genre: 'jazz' }, [2, 5]],
    [{ genre: ['Jazz', 'Folk'] }, [1, 2, 5]],
    [{ genre: ['Jazz', 'Folk'], genre_mode: 'or' }, [1, 2, 5]],
    [{ genre: ['Rock', 'Pop'], genre_mode: 'and' }, [3]],
    [{ genre: ['Rock', 'Jazz'], genre_mode: 'and' }, []],
    [{ genre: 'Polka' }, []],
    [{ style: ['Dub', 'Acid'], style_mode: 'and' }, [4]],
    [{ style: ['Dub', 'Acid'] }, [4, 5]],
    [{ format: 'LP' }, [3]],
    [{ format: ['LP', 'CD'], format_mode: 'and' }, []],
    [{ country: 'US', country_mode: 'and' }, [2]],
    [{ label: 'reprise', label_mode: 'and' }, [1]],
    [{ year_from: '1971' }, [3, 1]],
    [{ year_to: '1971' }, [1, 2]],
    [{ year_from: '1960', year_to: '1973' }, [1]],
    [{ year_from: '1980', year_to: '1960' }, []],
    [{ cube_quadrant: '111' }, [1, 5]],
    [{ dj_count_min: '3' }, [3, 5]],
    [{ dj_count_min: '0' }, [3, 1, 2, 5]],
    [{ dj_count_min: '-4' }, [3, 1, 2, 5]],
    [{ dj_count_min: '' }, [3, 1, 2, 4, 5]],
    [{ dj_count_min: 'null' }, [3, 1, 2, 4, 5]],
    [{ exclude_artist: 'BLUE' }, [1, 2, 4, 5]],
    [{ exclude_artist: 'Miles' }, [3, 1, 4, 5]],
    [{ exclude_label: 'Reprise' }, [3, 2, 4, 5]],
    [{ genre: 'Jazz', style: 'Dub', cube_quadrant: '111', year_to: '1990' }, []],
    [{ genre: 'Jazz', style: 'Dub', cube_quadrant: '111', dj_count_min: '1' }, [5]],
  ])('%j leave %j', async (filters, expected) => {
    const { results, pagination } = await search({ q: 'blue', ...filters });
    expect(results.map(({ master_id }) => master_id)).toEqual(expected);
    expect(pagination.total_results).toBe(expected.length);
  });
});

describe('the pages', () => {
  it.each([
    [{}, [3, 1, 2, 4, 5], 1, 1],
    [{ limit: '2' }, [3, 1], 1, 3],
    [{ limit: '2', offset: '2' }, [2, 4], 2, 3],
    [{ limit: '2', offset: '4' }, [5], 3, 3],
    [{ limit: '2', offset: '3' }, [4, 5], 2, 3],
    [{ limit: '100', offset: '10000' }, [], 101, 1],
    [{ offset: '' }, [3, 1, 2, 4, 5], 1, 1],
    [{ offset: 'null' }, [3, 1, 2, 4, 5], 1, 1],
    [{ limit: '1', offset: '0' }, [3], 1, 5],
  ])('%j hold %j', async (paging, expected, page, total_pages) => {
    const { results, pagination } = await search({ q: 'blue', ...paging });
    expect(results.map(({ master_id }) => master_id)).toEqual(expected);
    expect(pagination).toEqual({ page, total_pages, total_results: 5, total_results_mode: 'exact' });
  });

  it('are none without results', async () => {
    expect((await search({ q: 'zzz' })).pagination).toEqual({
      page: 1,
      total_pages: 0,
      total_results: 0,
      total_results_mode: 'exact',
    });
  });
});

describe('an invalid search', () => {
  it.each([
    [{}, 'q'],
    [{ q: '' }, 'q'],
    [{ q: '   ' }, 'q'],
    [{ q: '\u0000' }, 'q'],
    [{ q: 'x'.repeat(257) }, 'q'],
    [{ q: ['a', 'b'] }, 'q'],
    [{ q: 'a', genre: '' }, 'genre.0'],
    [{ q: 'a', style: ['b', 'x'.repeat(257)] }, 'style.1'],
    [{ q: 'a', label_mode: 'xor' }, 'label_mode'],
    [{ q: 'a', year_from: '1899' }, 'year_from'],
    [{ q: 'a', year_to: '2101' }, 'year_to'],
    [{ q: 'a', year_to: '1990.5' }, 'year_to'],
    [{ q: 'a', limit: '0' }, 'limit'],
    [{ q: 'a', limit: '101' }, 'limit'],
    [{ q: 'a', offset: '-1' }, 'offset'],
    [{ q: 'a', offset: '10001' }, 'offset'],
    [{ q: 'a', offset: 'far' }, 'offset'],
    [{ q: 'a', cube_quadrant: '21' }, 'cube_quadrant'],
    [{ q: 'a', cube_quadrant: '1111' }, 'cube_quadrant'],
    [{ q: 'a', dj_count_min: '1000001' }, 'dj_count_min'],
    [{ q: 'a', exclude_artist: '' }, 'exclude_artist'],
    [{ q: 'a', exclude_artist: ' ' }, 'exclude_artist'],
    [{ q: 'a', exclude_label: ' ' }, 'exclude_label'],
    [{ q: 'a', exclude_label: '\u202e' }, 'exclude_label'],
    [{ q: 'a', exclude_label: 'x'.repeat(257) }, 'exclude_label'],
    [{ q: 'a', nl: 'perhaps' }, 'nl'],
  ])('%j is rejected with the reason', async (query, path) => {
    const body = await rejected(query);
    expect(body).toMatchObject({ error: 'invalid_query', param: path.split('.')[0] });
    expect((body.details as { path: string }[]).map((detail) => detail.path)).toContain(path);
  });

  it('gets all errors together', async () => {
    const { details } = await rejected({ limit: '0', cube_quadrant: 'x' });
    expect((details as { path: string }[]).map(({ path }) => path).sort()).toEqual([
      'cube_quadrant',
      'limit',
      'q',
    ]);
  });

  it('with an unknown filter gets a corrected search', async () => {
    const body = await rejected({ q: 'blue', genres: 'Jazz', limit: '1' });
    expect(body).toMatchObject({
      error: 'invalid_facet',
      param: 'genres',
      next: `${BASE_URL}/api/v2/search?q=blue&genre=Jazz&limit=1`,
    });
    expect(await ids({ q: 'blue', genre: 'Jazz', limit: '1' })).toEqual([2]);
    const { next } = await rejected({
      q: 'blue',
      foo: '1',
      limit: '0',
      genre: ['Jazz', ''],
      Offset: 'null',
      dj_count_min: 'many',
      exclude_artist: ' ',
      year_from: '1950',
    });
    expect(next).toBe(`${BASE_URL}/api/v2/search?q=blue&offset=null&year_from=1950`);
    expect((await service.get(String(next).slice(BASE_URL.length))).statusCode).toBe(200);
    expect(await rejected({ q: ' ', foo: '1' })).toMatchObject({ next: `${BASE_URL}/api/v2/facets` });
    expect(await rejected({ mood: 'sad' })).toMatchObject({
      error: 'invalid_facet',
      param: 'mood',
      next: `${BASE_URL}/api/v2/facets`,
    });
  });

  it('is accepted at the limits', async () => {
    expect(await ids({ q: 'x'.repeat(256) })).toEqual([]);
    expect(await ids({ q: '💥'.repeat(256) })).toEqual([]);
    expect(
      await ids({ q: 'blue', year_from: '1900', year_to: '2100', dj_count_min: '1000000', offset: '10000' }),
    ).toEqual([]);
    expect(await ids({ q: 'blue', exclude_artist: 'x'.repeat(256), genre: 'y'.repeat(256) })).toEqual([]);
  });

  it('needs an API key', async () => {
    const response = await service.app().inject('/api/v2/search?q=a');
    expect([response.statusCode, response.json().error]).toEqual([401, 'missing_api_key']);
  });
});

describe('a hostile search', () => {
  it.each([
    'the of and a to in',
    "'; drop table search.generation; --",
    '" OR 1=1',
    'a AND NOT (b OR c) NEAR d*',
    '***',
    '%_%',
    '\\',
    '{title} : x ^ -y +z ~w',
    '🎉🎊',
    '\u202Eblue',
    'a\u0000b',
    'e\u0301'.repeat(100),
    '\ufffd',
    '<script>alert(1)</script>',
    `${'the '.repeat(63)}the`,
    '../../etc/passwd',
    '{jndi:ldap://x}',
    'null',
    'undefined',
    '__proto__',
    'ﷺ'.repeat(256),
    '½ ² ①',
    'عربي עברית हिन्दी ไทย',
  ])('%j gets a response', async (q) => {
    expect((await service.ask({ q })).statusCode).toBe(200);
    expect(
      (await service.ask({ q: 'blue', genre: q.slice(0, 200), exclude_artist: q.slice(0, 200) })).statusCode,
    ).toBe(200);
  });

  it.each(['%ED%A0%80', '%00', '%FF', 'a%ED%BF%BFb', '%', 'a%00'])(
    'of the bytes %s gets a response or an error',
    async (q) => {
      const response = await service.get(`/api/v2/search?q=${q}`);
      if (response.statusCode === 200) return;
      expect(response.statusCode).toBe(400);
      expect(['invalid_query', 'malformed_request']).toContain(response.json().error);
    },
  );
});

describe('a search whose facets have many values', () => {
  const manyLabels = withSearch(
    [
      rowsOf(catalogMaster, {
        ...plain,
        master_id: 1,
        title: 'Blue',
        artist_display: 'Joni',
        genres: ['Folk'],
        labels: Array.from({ length: 1_001 }, (_, number) => `Label ${number}`),
      }),
    ],
    { explorerUrl: 'https://explorer.example' },
  );

  it('marks cut facets, like the list of facets', async () => {
    const { facets, results } = await manyLabels.search({ q: 'blue' });
    expect(facets.label).toMatchObject({ truncated: true, count_mode: 'exact' });
    expect(facets.label?.values).toHaveLength(20);
    expect(facets.genre).toEqual({ values: [{ value: 'Folk', count: 1 }], count_mode: 'exact' });
    expect(results[0]?.link_to_cube).toBe('https://explorer.example/explorer/cube?master=1');
    const listed = (await manyLabels.facets()).facets as Record<
      string,
      { values: object[]; truncated?: true }
    >;
    expect([listed.label?.values.length, listed.label?.truncated]).toEqual([1_000, true]);
    expect(listed.genre).not.toHaveProperty('truncated');
  });
});

describe('the facets', () => {
  it('are listed with their values, the most frequent first', async () => {
    const value = (text: string, count: number) => ({ value: text, count });
    const list = (...values: object[]) => ({ type: 'string', modes: ['and', 'or'], values });
    const years = [value('1959', 1), value('1971', 1), value('1974', 1)];
    const single = (type: string, values: object[] = []) => ({ type, modes: [], values });
    expect(await service.facets()).toEqual({
      object: 'facets.index',
      facets: {
        genre: list(value('Jazz', 2), value('Rock', 2), value('Folk', 1), value('Pop', 1)),
        style: list(value('Dub', 2), value('Acid', 1)),
        format: list(value('LP', 2), value('CD', 1)),
        country: list(value('JP', 1), value('US', 1)),
        label: list(value('Reprise', 2), value('Warp', 2)),
        year_from: single('integer', years),
        year_to: single('integer', years),
        cube_quadrant: single('string', [value('100', 1), value('110', 1), value('111', 2)]),
        dj_count_min: single('integer'),
        exclude_artist: single('string'),
        exclude_label: single('string'),
      },
      generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });
});

describe('plain language', () => {
  const interpreted: { text: string | null; response: Interpretation; labels: (string | null)[] } = {
    text: null,
    response: { q: '', filters: {}, engine: 'grammar', confidence: 0.5, unmatched: [] },
    labels: [],
  };
  const plainService = withSearch(
    [
      rowsOf(catalogMaster, ...masters.map((master) => ({ ...plain, ...master }))),
      rowsOf(catalogMasterCube, ...cubes),
    ],
    {
      interpreter: {
        async interpret(text, vocabulary) {
          interpreted.text = text;
          expect(vocabulary.genres).toEqual(['Jazz', 'Rock', 'Folk', 'Pop']);
          expect(vocabulary.styles).toEqual(['Dub', 'Acid']);
          expect(vocabulary.formats).toEqual(['LP', 'CD']);
          expect(vocabulary.countries).toEqual(['JP', 'US']);
          interpreted.labels = [await vocabulary.labels('WARP'), await vocabulary.labels('nobody')];
          return interpreted.response;
        },
      },
    },
  );

  it('is interpreted as words and filters, which the response shows', async () => {
    interpreted.response = {
      q: 'blue',
      filters: { genre: ['Jazz'], year_to: 1960 },
      engine: 'grammar',
      confidence: 0.8,
      unmatched: ['wonderful'],
    };
    const body = await plainService.search({ q: 'wonderful blue jazz before 1960', nl: 'true' });
    expect(interpreted).toMatchObject({ text: 'wonderful blue jazz before 1960', labels: ['Warp', null] });
    expect(body.query).toEqual({
      q: 'blue',
      filters: [
        { facet: 'genre', value: 'Jazz', mode: 'or' },
        { facet: 'year_to', value: '1960', mode: 'and' },
      ],
    });
    expect(body.interpretation).toEqual({ engine: 'grammar', confidence: 0.8, unmatched: ['wonderful'] });
    expect(body.results.map(({ master_id }) => master_id)).toEqual([2]);
  });

  it('yields to explicit filters', async () => {
    interpreted.response = {
      ...interpreted.response,
      q: 'blue',
      filters: { genre: ['Jazz'], year_to: 1960 },
    };
    const body = await plainService.search({ q: 'anything', nl: 'true', genre: 'Folk', year_to: '1980' });
    expect(body.results.map(({ master_id }) => master_id)).toEqual([1]);
  });

  it('may give only filters; all that pass are ordered by popularity', async () => {
    interpreted.response = { ...interpreted.response, q: '', filters: { genre: ['Jazz', 'Rock'] } };
    const body = await plainService.search({ q: 'jazz or rock', nl: 'true' });
    expect(body.query.q).toBe('');
    expect(body.results.map(({ master_id }) => master_id)).toEqual([3, 2, 5, 6]);
  });

  it('is off by default', async () => {
    interpreted.text = null;
    const body = await plainService.search({ q: 'blue', nl: 'false' });
    expect([interpreted.text, body.interpretation]).toEqual([null, undefined]);
    expect(await plainService.rejected({ nl: 'true' })).toMatchObject({ error: 'invalid_query', param: 'q' });
  });
});
