import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnShape, columnShape } from '../../../projections/contracts/columns.ts';
import { djChampion } from '../../../projections/contracts/seen/dj-champion.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import {
  isPaged,
  keysetOf,
  type SurfaceSource,
  surfaceByName,
  surfaces,
} from '../../../projections/contracts/surfaces.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import {
  type SurfaceRowsResponse,
  type SurfaceTestRow,
  withSurfaces,
} from '../../../test/support/query/surface-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const service = withSurfaces();
const paged = surfaces.filter(isPaged);
const surface = ({ table }: { readonly table: string }): SurfaceSource => {
  const found = surfaceByName.get(table);
  if (found === undefined) throw new Error(`${table} is no surface`);
  return found;
};

let clusters = 0;
/** A cluster that no other test uses. */
const freshCluster = (): string => (++clusters).toString(16).padStart(64, '0');

const rowOf = (source: SurfaceSource, values: SurfaceTestRow): SurfaceTestRow => ({
  ...rowsOf(source, {}).rows[0],
  ...values,
});

/** Pages from the start, or from a cursor, with the given limits in turn. */
async function pages(
  source: SurfaceSource,
  cluster: string,
  limits: Iterable<number>,
  from: string | null = null,
): Promise<SurfaceTestRow[]> {
  const found: SurfaceTestRow[] = [];
  let after = from;
  for (const limit of limits) {
    const page: SurfaceRowsResponse = await service.rows(source, {
      cluster,
      limit: String(limit),
      ...(after === null ? {} : { after }),
    });
    found.push(...page.rows);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    after = page.next_after;
    if (after === null) return found;
    expect(page.rows).toHaveLength(limit);
  }
  throw new Error('the pages do not come to an end');
}

/** Values that several rows share, in the order of their column; texts contain the characters of keys. */
const few: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: fc.oneof(
    fc.constantFrom(
      '',
      'a',
      'a b',
      'a\u0001',
      'a\u001e',
      'a\u001f',
      'a\u001fb',
      'Ä',
      '漢',
      '𝄞',
      '"',
      '\\',
      "'",
      '%',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => !text.includes('\0')),
  ),
  int: fc.oneof(fc.constantFrom(9, 10, 100), fc.integer()),
  date: fc.constantFrom('2019-06-30', '2019-07-01', '1999-12-31'),
  ts: fc.constantFrom('2019-06-30T12:00:00Z', '2019-06-30T12:00:01Z'),
  hex: fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16).padStart(64, 'f')),
};

function shapeOf({ table, columns }: SurfaceSource, column: string): ColumnShape {
  const schema = columns[column];
  if (schema === undefined) throw new Error(`${table} has no column ${column}`);
  return columnShape(schema);
}

/** Rows of one cluster with distinct keys. */
function rowsArbitrary(source: SurfaceSource): fc.Arbitrary<SurfaceTestRow[]> {
  const seek = keysetOf(source)?.seek ?? [];
  const values = seek.map((column): [string, fc.Arbitrary<unknown>] => {
    const shape = shapeOf(source, column);
    const any = shape.values === null ? few[shape.encoding] : fc.constantFrom(...shape.values);
    if (any === undefined) throw new Error(`no values for ${column}`);
    return [column, any];
  });
  const keys = source.key.filter((column) => column !== source.subject.column);
  return fc.uniqueArray(fc.record(Object.fromEntries(values)), {
    minLength: 1,
    maxLength: 40,
    selector: (row) => JSON.stringify(keys.map((column) => row[column])),
  }) as fc.Arbitrary<SurfaceTestRow[]>;
}

/** The rows in the order that the registry declares, computed from their values. */
function inOrder(source: SurfaceSource, rows: readonly SurfaceTestRow[]): SurfaceTestRow[] {
  const order = keysetOf(source)?.order ?? [];
  return rows.toSorted((one, other) => {
    for (const { column, direction } of order) {
      const difference = compare(one[column], other[column]);
      if (difference !== 0) return direction === 'desc' ? -difference : difference;
    }
    return 0;
  });
}

const compare = (one: unknown, other: unknown): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));

describe('pages of any lengths', () => {
  it.each(paged.map((source) => [source.table, source] as const))(
    'of %s are the rows of one query, in the declared order',
    async (_table, source) => {
      await fc.assert(
        fc.asyncProperty(
          rowsArbitrary(source),
          fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
          async (given, limits) => {
            const cluster = freshCluster();
            // A key without the cluster would be the same row in every run.
            const isShared = !source.key.includes(source.subject.column);
            const rows = given.map((values) =>
              rowOf(source, {
                ...values,
                cluster_id: cluster,
                ...(isShared
                  ? Object.fromEntries(source.key.map((column) => [column, `${cluster}${values[column]}`]))
                  : {}),
              }),
            );
            await service.write(source, rows);
            const whole = await service.rows(source, { cluster, limit: '200' });
            expect(whole.next_after).toBeNull();
            expect(whole.rows).toEqual(inOrder(source, rows));
            expect(await pages(source, cluster, limits)).toEqual(whole.rows);
          },
        ),
        { numRuns: 5 },
      );
    },
  );
});

describe('keys longer than an index entry', () => {
  it('page without loss or repeat', async () => {
    const source = surface({ table: 'mirror.cluster_alias_v1' });
    const cluster = freshCluster();
    const long = 'ü'.repeat(4_000);
    const aliases = ['', 'a', long, `${long}a`, `${long}b`, `b${long}`, `b${long}c`];
    await service.write(
      source,
      aliases.map((alias) => rowOf(source, { cluster_id: cluster, alias })),
    );
    const found = await pages(source, cluster, Array(10).fill(1));
    expect(found.map(({ alias }) => String(alias)).sort()).toEqual(aliases.toSorted());
  });
});

describe('a cursor', () => {
  const plays = surface(radioPlayV1);
  const playIds = (rows: readonly SurfaceTestRow[]): string[] => rows.map(({ play_id }) => String(play_id));

  /** Plays at one instant, ordered only by their ids. */
  async function withPlays(count: number): Promise<{ cluster: string; ids: string[] }> {
    const cluster = freshCluster();
    const ids = Array.from({ length: count }, (_, index) => `${cluster}-${index}`);
    await service.write(
      plays,
      ids.map((play_id) => rowOf(plays, { cluster_id: cluster, play_id })),
    );
    return { cluster, ids };
  }

  it('continues at its position after its row was deleted', async () => {
    const { cluster, ids } = await withPlays(6);
    const first = await service.rows(plays, { cluster, limit: '3' });
    await service.pool.query('delete from ingest.mirror where key = $1', [ids[2]]);
    await service.pool.query('update ingest.mirror set row = null where key = any($1)', [[ids[1], ids[3]]]);
    expect(playIds(await pages(plays, cluster, [1, 1, 1], first.next_after))).toEqual(ids.slice(4));
  });

  it('leads to an empty page if all later rows were deleted, with the cluster still present', async () => {
    const { cluster, ids } = await withPlays(4);
    const first = await service.rows(plays, { cluster, limit: '2' });
    await service.pool.query('delete from ingest.mirror where key = any($1)', [ids.slice(2)]);
    const after = String(first.next_after);
    expect(await service.rows(plays, { cluster, after })).toMatchObject({
      present: true,
      state: 'present',
      liveness: 'populated',
      rows: [],
      next_after: null,
    });
    await service.pool.query('delete from ingest.mirror where key = any($1)', [ids]);
    expect(await service.rows(plays, { cluster, after })).toMatchObject({
      present: false,
      state: 'honest_gap',
    });
  });

  it('works after the producer crawled everything again', async () => {
    const { cluster } = await withPlays(5);
    const first = await service.rows(plays, { cluster, limit: '2' });
    await service.pool.query('delete from ingest.mirror where subject = $1', [cluster]);
    const later = ['x', 'y'].map((id) =>
      rowOf(plays, { cluster_id: cluster, play_id: `${cluster}${id}`, played_at: '2018-01-01T00:00:00Z' }),
    );
    const earlier = rowOf(plays, {
      cluster_id: cluster,
      play_id: `${cluster}z`,
      played_at: '2020-01-01T00:00:00Z',
    });
    await service.write(plays, [...later, earlier]);
    expect(playIds(await pages(plays, cluster, [9], first.next_after))).toEqual([
      `${cluster}x`,
      `${cluster}y`,
    ]);
  });

  it('is valid in every process, and in those configured with the same secret', async () => {
    const { cluster, ids } = await withPlays(3);
    const { next_after } = await service.rows(plays, { cluster, limit: '2' });
    const query = { cluster, after: String(next_after) };
    const sibling = await service.another();
    expect(playIds((await service.rows(plays, query, sibling)).rows)).toEqual(ids.slice(2));
    expect((await service.pool.query('select from access.secret')).rowCount).toBe(1);

    const secret = { cursorSecret: 'a secret of at least 32 characters' };
    const [one, two] = [await service.another(secret), await service.another(secret)];
    const path = `/api/v2/surface/${plays.table}?cluster=${cluster}&after=${next_after}`;
    expect(await service.rejected(400, path, one)).toMatchObject({ error: 'invalid_cursor' });
    const own = await service.rows(plays, { cluster, limit: '2' }, one);
    const further = { cluster, after: String(own.next_after) };
    expect(playIds((await service.rows(plays, further, two)).rows)).toEqual(ids.slice(2));
  });

  it('is rejected if forged, cut off, or of another scope', async () => {
    const champions = surface(djChampion);
    const { cluster } = await withPlays(3);
    const other = (await withPlays(3)).cluster;
    await service.write(
      champions,
      ['1', '2', '3'].map((digit) =>
        rowOf(champions, { cluster_id: cluster, dj_cluster_id: digit.repeat(64) }),
      ),
    );
    const cursorOf = async (source: SurfaceSource, of: string) =>
      String((await service.rows(source, { cluster: of, limit: '1' })).next_after);
    const cursor = await cursorOf(plays, cluster);
    const turned = cursor.startsWith('B') ? `A${cursor.slice(1)}` : `B${cursor.slice(1)}`;
    const forged = [
      '',
      'x',
      'null',
      '%00',
      '%F0%9F%8E%A7',
      turned,
      cursor.slice(0, -1),
      cursor.slice(0, 20),
      `${cursor}A`,
      `${cursor}%3D`,
      Buffer.from(`${cluster}-1`).toString('base64url'),
      await cursorOf(champions, cluster),
      await cursorOf(plays, other),
      'a'.repeat(8_000),
    ];
    for (const after of forged) {
      const path = `/api/v2/surface/${plays.table}?cluster=${cluster.toUpperCase()}&after=${after}`;
      expect(await service.rejected(400, path), after).toMatchObject({
        error: 'invalid_cursor',
        param: 'after',
        next: `${BASE_URL}/api/v2/surface/${plays.table}?cluster=${cluster}`,
      });
    }
    expect((await service.rows(plays, { cluster: cluster.toUpperCase(), after: cursor })).rows).toHaveLength(
      2,
    );
  });
});
