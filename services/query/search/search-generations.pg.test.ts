import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { plainDocument } from '../../../projections/engine/plain-document.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { documentTable } from '../../../projections/engine/store/version.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { newestGeneration } from '../../../projections/models/search/generation.ts';
import { searchProjection } from '../../../projections/models/search/project.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../../test/support/projections/served-version.ts';
import { keyHeader, queryApp } from '../../../test/support/query/app.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { documentOf, documents, searchFilters, searchText } from '../../../test/support/search/documents.ts';
import { searchPlainly } from '../../../test/support/search/oracle.ts';
import { withSearch } from '../../../test/support/search/service.ts';
import { changesTo, writeChanges as write } from '../../../test/support/search/write-changes.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { keepGeneration } from '../../../workers/jobs/search-generation/keep-generation.ts';
import { buildVersion } from '../../../workers/project/build-version.ts';
import { embeddedEngine } from './embedded-engine.ts';
import { searchQuery } from './query.ts';
import { NoGeneration, openSearchIndex, type SearchIndex } from './search-index.ts';

const never = new AbortController().signal;
const PAGE = { offset: 0, limit: 100 };

const [LIKE] = fc.sample(documentOf(1), { numRuns: 1, seed: 7 });

/** A release group with that title. */
function titled(id: number, title: string): SearchDocument {
  if (LIKE === undefined) throw new Error('nothing was made');
  return {
    ...LIKE,
    row: { ...LIKE.row, master_id: id, title, artist: 'Somebody' },
    title: { words: title.toLowerCase(), further: '' },
    artist: { words: 'somebody', further: '' },
  };
}

function labelled(id: number, labels: string[], year: number): SearchDocument {
  const plain = titled(id, 'Any');
  return { ...plain, labels, genres: [], row: { ...plain.row, year, cube_quadrant: null } };
}

const idsFor = async (index: SearchIndex, q: string): Promise<number[]> =>
  (await index.search(searchQuery(q, {}, PAGE), never)).rows.map(({ master_id }) => master_id);

describe('an index in the database', () => {
  const { pool, url } = withDatabase();

  /** The time of the database, in milliseconds; the snapshots of an index carry it. */
  async function databaseTime(): Promise<number> {
    const { rows } = await pool.query<{ now: Date }>('select now()');
    return rows[0]?.now.getTime() ?? Number.NaN;
  }

  /** The seconds that an index is behind at a time. */
  async function lagAt(index: SearchIndex, atMs: number): Promise<number> {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(atMs);
    try {
      return (await index.search(searchQuery('nothing', {}, PAGE), never)).behindSeconds;
    } finally {
      clock.mockRestore();
    }
  }

  it('does not exist before the first generation', async () => {
    const index = openSearchIndex(pool);
    await expect(index.search(searchQuery('a', {}, PAGE), never)).rejects.toThrow(NoGeneration);
    await expect(index.facets()).rejects.toThrow(NoGeneration);
    await expect(index.findLabel('a')).rejects.toThrow(NoGeneration);
    expect(await keepGeneration(pool)).toEqual({ why: null, built: null, dropped: 0 });
  });

  it('finds the same as a scan, from a generation and from changes since', async () => {
    await rebuild(pool, searchProjection, await registerSources(pool));
    await fc.assert(
      fc.asyncProperty(documents, documents, searchText, searchFilters, async (first, second, q, filters) => {
        await pool.query(`delete from ${documentTable(await servedVersion(pool, 'search'))}`);
        await write(pool, changesTo(first));
        await keepGeneration(pool, { force: true });
        const index = openSearchIndex(pool);
        const found = () => index.search(searchQuery(q, filters, PAGE), never);
        const before = searchPlainly(first, q, filters);
        expect((await found()).rows.map(({ master_id }) => master_id)).toEqual(before.ids);

        const gone = first.slice(0, 3).map(({ row }) => ({ id: row.master_id, document: null }));
        const changed = new Map([...gone, ...changesTo(second)].map((change) => [change.id, change]));
        await write(pool, [...changed.values()]);
        await index.refresh();
        const now = [
          ...first.filter(({ row }) => !changed.has(row.master_id)),
          ...[...changed.values()].flatMap(({ document }) => document ?? []),
        ];
        const expected = searchPlainly(now, q, filters);
        const fromChanges = await found();
        expect(fromChanges.rows.map(({ master_id }) => master_id)).toEqual(expected.ids);
        expect(fromChanges.facets).toEqual(expected.facets);

        await keepGeneration(pool, { force: true });
        const rebuilt = await openSearchIndex(pool).search(searchQuery(q, filters, PAGE), never);
        expect({ ...rebuilt, behindSeconds: 0 }).toEqual({ ...fromChanges, behindSeconds: 0 });
      }),
      { numRuns: 25 },
    );
  });

  it('finds changes of a transaction that began first and committed last', async () => {
    await write(pool, changesTo([titled(1, 'Early'), titled(2, 'Late')]));
    await keepGeneration(pool, { force: true });
    const index = openSearchIndex(pool);
    await index.refresh();
    const version = await servedVersion(pool, 'search');
    const body = plainDocument(titled(1, 'Slowest'), []);
    const slow = await pool.connect();
    try {
      await slow.query('begin');
      await slow.query(`update ${documentTable(version)} set hash = $1, body = $2 where key = 'master:1'`, [
        body.hash,
        body.body(),
      ]);
      await write(pool, changesTo([titled(2, 'Quicker')]));
      await index.refresh();
      expect([await idsFor(index, 'quicker'), await idsFor(index, 'early')]).toEqual([[2], [1]]);
      // A generation built meanwhile does not contain it either, but it is found once it is committed.
      await keepGeneration(pool, { force: true });
      await slow.query('commit');
    } finally {
      slow.release();
    }
    await index.refresh();
    const other = openSearchIndex(pool);
    await other.refresh();
    for (const each of [index, other]) {
      expect(await idsFor(each, 'slowest')).toEqual([1]);
      expect(await idsFor(each, 'early')).toEqual([]);
    }
  });

  it('reports its lag', async () => {
    const index = openSearchIndex(pool);
    const before = await databaseTime();
    await index.refresh();
    expect(await lagAt(index, before)).toBe(0);
    const after = await databaseTime();
    expect(await lagAt(index, after + 90_000)).toBeGreaterThanOrEqual(90);
    await index.refresh();
    expect(await lagAt(index, after)).toBe(0);
  });

  it('keeps serving a replaced version and reports its lag', async () => {
    const index = openSearchIndex(pool);
    await write(pool, changesTo([titled(3, 'Before')]));
    await index.refresh();
    expect(await idsFor(index, 'before')).toEqual([3]);
    await rebuild(pool, searchProjection, await registerSources(pool));
    await index.refresh();
    expect(await idsFor(index, 'before')).toEqual([3]);
    const replacedAt = new Date('2026-01-01T00:00:00Z');
    await pool.query(`update projection.version set promoted_at = $1 where state = 'live'`, [replacedAt]);
    await index.refresh();
    expect(await lagAt(index, replacedAt.getTime() + 3_600_000)).toBe(3_600);

    const result = await keepGeneration(pool);
    expect(result).toMatchObject({
      why: 'another version of the documents is served',
      built: { documents: 0 },
    });
    const fresh = openSearchIndex(pool);
    const before = await databaseTime();
    await fresh.refresh();
    expect(await idsFor(fresh, 'before')).toEqual([]);
    expect(await lagAt(fresh, before)).toBe(0);
  });

  it('lists the current facet values and labels', async () => {
    await pool.query(`delete from ${documentTable(await servedVersion(pool, 'search'))}`);
    await write(pool, changesTo([labelled(1, ['Anti-', 'ANTI-'], 1990), labelled(2, ['Gone'], 1991)]));
    await keepGeneration(pool, { force: true });
    const index = openSearchIndex(pool);
    await index.refresh();
    const before = await index.facets();
    expect(before.values.values.label).toEqual([
      { value: 'ANTI-', count: 1 },
      { value: 'Gone', count: 1 },
    ]);

    await write(pool, [
      { id: 2, document: null },
      ...changesTo([labelled(3, ['Anti-', 'New'], 1992), labelled(4, ['new', 'NEW'], 1992)]),
    ]);
    await index.refresh();
    const now = await index.facets();
    expect(now.values.values.label).toEqual([
      { value: 'Anti-', count: 2 },
      { value: 'NEW', count: 2 },
    ]);
    expect(now.values.years).toEqual([
      { value: '1990', count: 1 },
      { value: '1992', count: 2 },
    ]);
    expect(now.takenAt.getTime()).toBeGreaterThan(before.takenAt.getTime());
    expect(await index.findLabel('anti-')).toBe('Anti-');
    expect(await index.findLabel('new')).toBe('NEW');
    expect(await index.findLabel('Gone')).toBeNull();
    for (const { value, count } of now.values.values.label)
      expect((await index.search(searchQuery('', { label: [value] }, PAGE), never)).total).toBe(count);

    await keepGeneration(pool, { force: true });
    const rebuilt = await openSearchIndex(pool).facets();
    expect(rebuilt.values).toEqual(now.values);
    expect([now.state === before.state, rebuilt.state === now.state]).toEqual([false, false]);
  });

  it('sends the facets once for each state of the index', async () => {
    const engine = embeddedEngine({ url, log: pino({ level: 'silent' }) });
    const before = await engine.facets(never);
    const again = await Promise.all([1, 2].map(() => engine.facets(never)));
    for (const { values } of again) expect(values).toBe(before.values);
    await write(pool, changesTo([labelled(9, ['Fresh'], 1993)]));
    await expect.poll(async () => (await engine.facets(never)).values).not.toBe(before.values);
    expect((await engine.facets(never)).values.values.label).toContainEqual({ value: 'Fresh', count: 1 });
    await engine.stop();
  });

  it('marks facets with further values', async () => {
    const many = (count: number, labels: (id: number) => string[]) =>
      changesTo(
        Array.from({ length: count }, (_, index) => ({
          ...titled(index + 1, 'Any'),
          genres: [],
          labels: labels(index),
        })),
      );
    const index = openSearchIndex(pool);
    const cuts = async () => [
      (await index.search(searchQuery('any', {}, PAGE), never)).cut,
      (await index.facets()).values.cut,
      (await index.facets()).values.values.label.length,
    ];
    await pool.query(`delete from ${documentTable(await servedVersion(pool, 'search'))}`);
    await write(
      pool,
      many(20, (id) => [`L${id}`, `l${id}`]),
    );
    await index.refresh();
    expect(await cuts()).toEqual([[], [], 20]);
    await write(
      pool,
      many(21, (id) => [`L${id}`]),
    );
    await index.refresh();
    expect(await cuts()).toEqual([['label'], [], 21]);
    await write(
      pool,
      many(1, () => Array.from({ length: 980 }, (_, id) => `M${id}`)),
    );
    await index.refresh();
    expect(await cuts()).toEqual([['label'], [], 1_000]);
    await write(
      pool,
      many(1, () => Array.from({ length: 981 }, (_, id) => `M${id}`)),
    );
    await index.refresh();
    expect(await cuts()).toEqual([['label'], ['label'], 1_000]);
  });

  it('opens the newest generation after its own was dropped', async () => {
    await write(pool, changesTo([titled(4, 'Stays')]));
    await keepGeneration(pool, { force: true });
    const index = openSearchIndex(pool);
    await index.refresh();
    await keepGeneration(pool, { force: true });
    await pool.query(
      `update search.generation set retired_at = now() - interval '1 hour' where state = 'retired'`,
    );
    expect((await keepGeneration(pool))?.dropped).toBeGreaterThan(0);
    expect(await idsFor(index, 'stays')).toEqual([4]);
  });
});

describe('the service', () => {
  const title = { catalog_artist_ids: [], artist_cluster_id: null };
  const service = withSearch([rowsOf(catalogMaster, { ...title, master_id: 1, title: 'First Thing' })]);

  it('finds a change by polling, and immediately for a request that waited for it', async () => {
    expect(await service.ids({ q: 'second' })).toEqual([]);
    await write(service.pool, changesTo([titled(2, 'Second')]));
    await expect.poll(() => service.ids({ q: 'second' })).toEqual([2]);
    await write(service.pool, changesTo([titled(3, 'Third')]));
    const response = await service.ask(
      { q: 'third' },
      { 'x-linernotes-at-least': 'nowhere.seen.festival:0:0', 'x-linernotes-wait': '0' },
    );
    expect(response.json().results.map((row: { master_id: number }) => row.master_id)).toEqual([3]);
  });

  it('opens one generation after another without failing a search', async () => {
    const statuses = new Set<number>();
    let searches = 0;
    const ending = new AbortController();
    const searching = Array.from({ length: 4 }, async () => {
      while (!ending.signal.aborted) {
        const response = await service.ask({ q: 'first thing' });
        statuses.add(response.statusCode);
        expect(response.json().results[0]?.master_id).toBe(1);
        searches++;
        await setImmediate();
      }
    });
    const registry = await registerSources(service.pool);
    try {
      for (let number = 0; number < 3; number++) {
        await write(service.pool, changesTo([titled(10 + number, `Number${number}`)]));
        await buildVersion(service.pool, searchProjection, registry, { promote: true, fromScratch: true });
        await keepGeneration(service.pool, { force: true });
        await service.pool.query(
          `update search.generation set retired_at = now() - interval '1 hour' where state = 'retired'`,
        );
        const before = searches;
        await expect.poll(() => searches).toBeGreaterThan(before + 20);
      }
    } finally {
      ending.abort();
    }
    const { id } = (await newestGeneration(service.pool)) ?? { id: 0 };
    await keepGeneration(service.pool);
    await Promise.all(searching);
    expect([...statuses]).toEqual([200]);
    const { rows } = await service.pool.query('select id from search.generation order by id');
    expect(rows.at(-1)?.id).toBe(id);
  });

  it('is not ready without a generation', async () => {
    const pool = connect(service.pool.options.connectionString ?? '', 'test');
    await pool.query(`update search.generation set state = 'retired', retired_at = now()`);
    const app = await queryApp(pool);
    const headers = await keyHeader(pool);
    for (const url of ['/api/v2/search?q=a', '/api/v2/facets']) {
      const response = await app.inject({ url, headers });
      expect([response.statusCode, response.json().error, response.headers['retry-after']]).toEqual([
        503,
        'not_ready',
        '5',
      ]);
    }
    await app.close();
    await pool.end();
  });
});
