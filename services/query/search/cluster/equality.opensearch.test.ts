import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerSources } from '../../../../projections/engine/registry.ts';
import { documentTable } from '../../../../projections/engine/store/version.ts';
import { searchProjection } from '../../../../projections/models/search/project.ts';
import { loadSample } from '../../../../test/support/ingest/load-sample.ts';
import { rebuild } from '../../../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../../../test/support/projections/served-version.ts';
import { withQueryService } from '../../../../test/support/query/service.ts';
import { documents, searchFilters, searchText } from '../../../../test/support/search/documents.ts';
import { searchPlainly } from '../../../../test/support/search/oracle.ts';
import { changesTo, writeChanges } from '../../../../test/support/search/write-changes.ts';
import { withDatabase } from '../../../../test/support/services/database.ts';
import { withOpenSearch } from '../../../../test/support/services/with-opensearch.ts';
import { applyChanges } from '../../../../workers/jobs/search-generation/cluster/apply-changes.ts';
import { clusterStore } from '../../../../workers/jobs/search-generation/cluster/cluster-store.ts';
import { keepGeneration } from '../../../../workers/jobs/search-generation/keep-generation.ts';
import { type SearchQuery, searchQuery } from '../query.ts';
import { openSearchIndex } from '../search-index.ts';
import { clusterEngine } from './cluster-engine.ts';

const { pool } = withDatabase();
const openSearch = withOpenSearch();
const { signal } = new AbortController();
const PAGE = { offset: 0, limit: 100 };

/** Fewer as a part of all tests. */
const [RUNS, SAMPLED] = process.env.OPENSEARCH === undefined ? [3, 8] : [10, 25];

/** Most generated filters leave nothing. */
const filters = fc.oneof(fc.constant({}), searchFilters);
const request = fc.record({ q: searchText, filters });

describe('the search cluster', () => {
  it('finds the same as the index in the database, from a generation and from changes since', async () => {
    const cluster = openSearch.connect();
    const store = clusterStore(cluster);
    await rebuild(pool, searchProjection, await registerSources(pool));
    const property = fc.asyncProperty(
      documents,
      documents,
      fc.array(request, { minLength: 15, maxLength: 15 }),
      async (first, second, requests) => {
        await pool.query(`delete from ${documentTable(await servedVersion(pool, 'search'))}`);
        await writeChanges(pool, changesTo(first));
        await keepGeneration(pool, { force: true });
        await keepGeneration(pool, { force: true, store });
        const index = openSearchIndex(pool);

        const expectEqual = async (all: typeof first) => {
          // A new one, because an engine may list facets of a second ago.
          const engine = clusterEngine({ cluster, pool });
          for (const { q, filters } of requests) {
            const query: SearchQuery = searchQuery(q, filters, PAGE);
            const found = { ...(await engine.search(query, { signal, isUpToDate: true })), behindSeconds: 0 };
            expect(found, q).toEqual({ ...(await index.search(query, signal)), behindSeconds: 0 });
            expect(found.rows.map(({ master_id }) => master_id)).toEqual(searchPlainly(all, q, filters).ids);
            const offset = Math.floor(found.total / 2);
            const page = await engine.search({ ...query, offset, limit: 3 }, { signal, isUpToDate: false });
            expect(page.rows).toEqual(found.rows.slice(offset, offset + 3));
          }
          expect((await index.facets()).values).toMatchObject((await engine.facets(signal)).values);
          for (const label of ['warp', 'Ninja tune', 'None'])
            expect(await engine.findLabel(label, signal)).toBe(await index.findLabel(label));
        };
        await expectEqual(first);

        const gone = first.slice(0, 3).map(({ row }) => ({ id: row.master_id, document: null }));
        const changed = new Map([...gone, ...changesTo(second)].map((change) => [change.id, change]));
        await writeChanges(pool, [...changed.values()]);
        await index.refresh();
        const client = await pool.connect();
        expect(await applyChanges(client, cluster)).toBe(changed.size);
        client.release();
        await expectEqual([
          ...first.filter(({ row }) => !changed.has(row.master_id)),
          ...[...changed.values()].flatMap(({ document }) => document ?? []),
        ]);
      },
    );
    // Each run builds an index, so shrinking would take long.
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  }, 300_000);
});

/** Titles, artists and their beginnings, spread over the sample. */
const NAMES = `
  select row::json ->> 'title' as title, row::json ->> 'artist_display' as artist,
    row::json -> 'genres' ->> 0 as genre, row::json -> 'labels' ->> 0 as label
  from ingest.mirror
  where row is not null and source = (select id from ingest.source where name = 'catalog.master')
  order by md5(key) limit $1`;

interface Name {
  readonly title: string;
  readonly artist: string;
  readonly genre: string | null;
  readonly label: string | null;
}

const parameters = (values: Readonly<Record<string, string | null>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.append(name, value);
  return query.toString();
};

/** The parameters of requests about a release group. */
const requestsFor = ({ title, artist, genre, label }: Name): string[] => [
  parameters({ q: title, limit: '100' }),
  parameters({ q: artist, limit: '100' }),
  parameters({ q: `${artist} ${title}`, limit: '100' }),
  parameters({ q: title.slice(0, 2), genre, limit: '100' }),
  parameters({
    q: artist.slice(0, 1),
    exclude_artist: artist,
    exclude_label: label,
    limit: '100',
    offset: '100',
  }),
  parameters({ q: `${genre ?? 'music'} from the nineties without ${artist}`, nl: 'true', limit: '100' }),
];

const WIDE = [
  'q=a&limit=100',
  'q=the&limit=100&offset=9950',
  'q=t&limit=100&offset=10000',
  'q=s&year_from=1990&year_to=1999&limit=100',
  'q=e&cube_quadrant=111&dj_count_min=2&limit=100',
  'q=m&genre=electronic&genre=ROCK&genre_mode=and&limit=100',
  'q=techno+on+vinyl+before+2000&nl=true&limit=100',
  'q=nothing+like+it',
];

describe('the API on a search cluster', () => {
  const service = withQueryService({
    fill: (database, registry) =>
      loadSample(
        database,
        registry,
        searchProjection.reads.map(({ source }) => source),
      ),
    projections: [searchProjection],
    tier: 'unlimited',
  });

  it('responds like the API on the index in the database', async () => {
    const cluster = openSearch.connect('sample');
    await keepGeneration(service.pool, { force: true });
    await keepGeneration(service.pool, { force: true, store: clusterStore(cluster) });
    const other = await service.open({ search: clusterEngine({ cluster, pool: service.pool }) });
    const { rows } = await service.pool.query<Name>(NAMES, [SAMPLED]);
    expect(rows).toHaveLength(SAMPLED);
    const totals: number[] = [];
    for (const request of [...WIDE, ...rows.flatMap(requestsFor)]) {
      const path = `/api/v2/search?${request}`;
      const expected = await service.get(path);
      const found = await other.inject({ url: path, headers: service.key() });
      expect(found.statusCode, path).toBe(200);
      const { telemetry: _telemetry, freshness: _freshness, ...body } = found.json();
      expect(expected.json(), path).toMatchObject(body);
      expect(Object.keys(found.json())).toEqual(Object.keys(expected.json()));
      totals.push(body.pagination.total_results);
    }
    expect(Math.max(...totals)).toBeGreaterThan(1_000);
    const facets = await other.inject({ url: '/api/v2/facets', headers: service.key() });
    expect((await service.get('/api/v2/facets')).json().facets).toEqual(facets.json().facets);
  });
});
