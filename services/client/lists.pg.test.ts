import { beforeAll, describe, expect, it } from 'vitest';
import { catalogArtist } from '../../projections/contracts/catalog/artist.ts';
import { catalogMaster } from '../../projections/contracts/catalog/master.ts';
import { browseProjection } from '../../projections/models/browse/project.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { keyHeader } from '../../test/support/query/app.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { withSearch } from '../../test/support/search/service.ts';
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

const urls: URL[] = [];
let linernotes: Linernotes;

beforeAll(async () => {
  await rebuild(service.pool, browseProjection, service.registry());
  const { 'x-api-key': key } = await keyHeader(service.pool);
  linernotes = createLinernotes({
    baseUrl: await service.app().listen({ host: '127.0.0.1', port: 0 }),
    key,
    fetch(request) {
      urls.push(new URL(request.url));
      return fetch(request);
    },
  });
});

describe('every result', () => {
  it('of a search comes once, with its filters on each page', async () => {
    urls.length = 0;
    const found: number[] = [];
    for await (const row of linernotes.pages('/api/v2/search', {
      params: { query: { q: 'blue', genre: ['Folk'], limit: 50 } },
    }))
      found.push(row.master_id);
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: MASTERS }, (_, index) => index + 1));
    expect(urls.map(({ search }) => search)).toEqual([
      '?limit=50&offset=0&q=blue&genre=Folk',
      '?limit=50&offset=50&q=blue&genre=Folk',
      '?limit=50&offset=100&q=blue&genre=Folk',
    ]);
  });

  it('is absent for a search without matches', async () => {
    const pages = linernotes.pages('/api/v2/search', { params: { query: { q: 'zzzzzz' } } });
    expect(await Array.fromAsync(pages)).toEqual([]);
  });

  it('of the list of artists comes once', async () => {
    urls.length = 0;
    const pages = linernotes.pages('/api/v2/artists', { params: { query: { limit: 10, sort: 'reach' } } });
    const slugs = (await Array.fromAsync(pages)).map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(ARTISTS);
    expect(slugs).toHaveLength(ARTISTS);
    expect(urls.map(({ searchParams }) => searchParams.get('offset'))).toEqual([null, '10', '20']);
  });
});
