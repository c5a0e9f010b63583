import { beforeAll, describe, expect, it } from 'vitest';
import { browseProjection } from '../../projections/browse/project.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { catalogMaster } from '../../projections/sources/catalog/master.ts';
import { keyHeader } from '../../test/query-app.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withSearch } from '../../test/search-service.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { createLinernotes, type Linernotes } from './create-linernotes.ts';

const MASTERS = 130;
const ARTISTS = 25;

const service = withSearch([
  rowsOf(
    catalogMaster,
    ...Array.from({ length: MASTERS }, (_, index) => ({
      master_id: index + 1,
      title: 'Blue',
      artist_display: 'Joni',
      genres: ['Folk'],
    })),
  ),
  rowsOf(
    catalogArtist,
    ...Array.from({ length: ARTISTS }, (_, index) => ({
      catalog_artist_id: index + 1,
      name: `Artist ${index + 1}`,
      slug: `artist-${index + 1}`,
    })),
  ),
]);

const asked: URL[] = [];
let linernotes: Linernotes;

beforeAll(async () => {
  await rebuild(service.pool, browseProjection, service.registry());
  const { 'x-api-key': key } = await keyHeader(service.pool);
  linernotes = createLinernotes({
    baseUrl: await service.app().listen({ host: '127.0.0.1', port: 0 }),
    key,
    fetch(request) {
      asked.push(new URL(request.url));
      return fetch(request);
    },
  });
});

describe('every result', () => {
  it('of a search comes once, filters kept on each page', async () => {
    asked.length = 0;
    const found: number[] = [];
    for await (const row of linernotes.pages('/api/v2/search', {
      params: { query: { q: 'blue', genre: ['Folk'], limit: 50 } },
    }))
      found.push(row.master_id);
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: MASTERS }, (_, index) => index + 1));
    expect(asked.map(({ search }) => search)).toEqual([
      '?limit=50&offset=0&q=blue&genre=Folk',
      '?limit=50&offset=50&q=blue&genre=Folk',
      '?limit=50&offset=100&q=blue&genre=Folk',
    ]);
  });

  it('of a search for nothing that is there is none', async () => {
    const pages = linernotes.pages('/api/v2/search', { params: { query: { q: 'zzzzzz' } } });
    expect(await Array.fromAsync(pages)).toEqual([]);
  });

  it('of the list of artists comes once', async () => {
    asked.length = 0;
    const pages = linernotes.pages('/api/v2/artists', { params: { query: { limit: 10, sort: 'reach' } } });
    const slugs = (await Array.fromAsync(pages)).map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(ARTISTS);
    expect(slugs).toHaveLength(ARTISTS);
    expect(asked.map(({ searchParams }) => searchParams.get('offset'))).toEqual([null, '10', '20']);
  });
});
