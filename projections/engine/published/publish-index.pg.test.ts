import { beforeAll, describe, expect, it } from 'vitest';
import { fillArtists } from '../../../test/support/projections/artists.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { type Registry, registerSources } from '../registry.ts';
import { isPublished, publishIndex } from './publish-index.ts';
import type { IndexEntry, PublishedIndex } from './published-index.ts';
import { readFirst, readOne } from './read-published.ts';

const { pool } = withDatabase();
const DAY = '2019-06-30';
const ARTISTS = 4_500;
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
  await fillArtists(pool, registry, ARTISTS);
});

const indexOf = (compute: PublishedIndex['compute'], name = 'test'): PublishedIndex => ({
  name,
  version: 1,
  decidedBy: null,
  isDated: true,
  compute,
});
const numbered = (count: number, edition: number): IndexEntry[] =>
  Array.from({ length: count }, (_, number) => ({
    list: number % 2 === 0 ? 'even' : 'odd',
    key: `key ${number}`,
    body: { number, edition },
  }));
const publish = (index: PublishedIndex, day = DAY, signal = new AbortController().signal) =>
  publishIndex(pool, registry, index, { day, signal });
const entriesOf = async (lists: string[], limit: number, name = 'test') =>
  (await readFirst(pool, name, { lists, limit }))?.entries;

describe('an index', () => {
  it('does not exist before it is published', async () => {
    expect(await readFirst(pool, 'test', { lists: ['even'], limit: 5 })).toBeNull();
    expect(await readOne(pool, 'test', { list: 'even', key: 'key 0' })).toBeNull();
    expect(
      await isPublished(
        pool,
        indexOf(async () => []),
        DAY,
      ),
    ).toBe(false);
  });

  it('is read by list, by position and by key', async () => {
    await publish(indexOf(async () => numbered(5_001, 1)));
    expect(await readFirst(pool, 'test', { lists: ['odd', 'even'], limit: 2 })).toMatchObject({
      day: DAY,
      entries: [
        { list: 'even', body: { number: 0, edition: 1 } },
        { list: 'odd', body: { number: 1, edition: 1 } },
        { list: 'even', body: { number: 2, edition: 1 } },
        { list: 'odd', body: { number: 3, edition: 1 } },
      ],
    });
    expect(await entriesOf(['odd'], 10_000)).toHaveLength(2_500);
    expect(await entriesOf(['none'], 5)).toEqual([]);
    expect((await readOne(pool, 'test', { list: 'even', key: 'key 5000' }))?.entries).toEqual([
      { list: 'even', body: { number: 5_000, edition: 1 } },
    ]);
    expect((await readOne(pool, 'test', { list: 'odd', key: 'key 5000' }))?.entries).toEqual([]);
  });

  it('is published for its day', async () => {
    const index = indexOf(async () => []);
    expect(await isPublished(pool, index, DAY)).toBe(true);
    expect(await isPublished(pool, index, '2019-07-01')).toBe(false);
  });

  it('without a day is published for the current UTC day, and again on the next even without changes', async () => {
    const index: PublishedIndex = {
      ...indexOf(async () => numbered(2, 1), 'undated'),
      decidedBy: [clusterAliasV1],
      isDated: false,
    };
    const served = async () => {
      const { rows } = await pool.query<{ day: string; published_on: string }>(
        `select day::text, (published_at at time zone 'UTC')::date::text as published_on
         from published.live join published.snapshot on id = snapshot where live.index = 'undated'`,
      );
      return rows[0];
    };
    expect(await isPublished(pool, index, DAY)).toBe(false);
    const { day, published } = await publish(index);
    expect(published).toBe(true);
    expect(day).not.toBe(DAY);
    expect(await served()).toEqual({ day, published_on: day });
    // It ignores the day of the rows.
    expect(await publish(index, '2020-02-29')).toMatchObject({ entries: 0, published: false });
    expect(await isPublished(pool, index, '2020-02-29')).toBe(true);
    await pool.query(
      `update published.snapshot set day = day - 1, published_at = published_at - interval '1 day' where index = 'undated'`,
    );
    expect(await isPublished(pool, index, DAY)).toBe(false);
    expect(await publish(index)).toMatchObject({ entries: 2, published: true });
    const after = await served();
    expect(after?.published_on).toBe(after?.day);
    expect(Date.parse(after?.day ?? '')).toBeGreaterThanOrEqual(Date.parse(day));
  });

  it('stays unchanged if publishing fails half-way', async () => {
    const twice = [...numbered(3_000, 2), { list: 'even', key: 'key 0', body: {} }];
    await expect(publish(indexOf(async () => twice))).rejects.toThrow('entry_key');
    expect(await entriesOf(['even'], 1)).toEqual([{ list: 'even', body: { number: 0, edition: 1 } }]);
    const { rows } = await pool.query(
      `select count(*)::int as count from published.snapshot where index = 'test'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('stays unchanged if its job is aborted', async () => {
    const ending = new AbortController();
    const index = indexOf(async () => {
      ending.abort(new Error('aborted'));
      return numbered(2, 3);
    });
    await expect(publish(index, DAY, ending.signal)).rejects.toThrow('aborted');
    expect(await entriesOf(['even'], 1)).toEqual([{ list: 'even', body: { number: 0, edition: 1 } }]);
  });

  it('is replaced atomically: concurrent readers see one snapshot', async () => {
    const ending = new AbortController();
    const seen = new Set<string>();
    const watching = (async () => {
      while (!ending.signal.aborted) {
        const entries = await entriesOf(['even', 'odd'], 100);
        const editions = new Set(entries?.map(({ body }) => (body as { edition: number }).edition));
        seen.add(`${entries?.length} of ${[...editions]}`);
      }
    })();
    try {
      for (const edition of [4, 5, 6]) await publish(indexOf(async () => numbered(6_000, edition)));
    } finally {
      ending.abort();
    }
    await watching;
    expect([...seen].filter((one) => !/^200 of [1456]$/.test(one))).toEqual([]);
  });

  it('keeps its last eight snapshots, and those of other indexes', async () => {
    await publish(indexOf(async () => numbered(2, 1), 'other'));
    for (let edition = 10; edition < 20; edition++) await publish(indexOf(async () => numbered(3, edition)));
    const { rows } = await pool.query<{ index: string; entries: number; editions: number[] }>(
      `select index, count(*)::int as entries,
         array_agg(distinct (body->>'edition')::int order by (body->>'edition')::int) as editions
       from published.snapshot join published.entry on snapshot = id
       where index <> 'undated' group by index order by index`,
    );
    expect(rows).toEqual([
      { index: 'other', entries: 2, editions: [1] },
      { index: 'test', entries: 24, editions: [12, 13, 14, 15, 16, 17, 18, 19] },
    ]);
    const { rows: orphans } = await pool.query(
      'select from published.entry where snapshot not in (select id from published.snapshot)',
    );
    expect(orphans).toHaveLength(0);
  });
});

describe('the mirror as an index sees it', () => {
  it('has every subject of a source, in order, in batches', async () => {
    const batches: (readonly string[])[] = [];
    await publish(
      indexOf(async (mirror) => {
        for await (const batch of mirror.subjects(performingEntity)) batches.push(batch);
        return [];
      }),
    );
    expect(batches.map(({ length }) => length)).toEqual([2_000, 2_000, 500]);
    expect(batches.flat()).toEqual(
      Array.from({ length: ARTISTS }, (_, number) => number.toString(16).padStart(64, '0')),
    );
  });

  it('is a snapshot of one instant despite concurrent ingestion', async () => {
    const subjects: string[] = [];
    await publish(
      indexOf(async (mirror) => {
        for await (const batch of mirror.subjects(performingEntity)) {
          subjects.push(...batch);
          await pool.query(`update ingest.mirror set row = null where subject = $1`, [
            (ARTISTS - 1).toString(16).padStart(64, '0'),
          ]);
        }
        return [];
      }),
    );
    expect(subjects).toHaveLength(ARTISTS);
  });
});
