import fc from 'fast-check';
import { expect, it } from 'vitest';
import { liveDemand } from '../../../projections/contracts/seen/live-demand.ts';
import { problemOf, type SourceColumn } from '../../../projections/engine/freshness/source-columns.ts';
import type { RowShape } from '../decode/row-shape.ts';
import { observeColumns } from './column-changes.ts';

const REQUIRED = ['cluster_id', 'demand_tier', 'events_tracked', 'events_sold_out', 'distinct_providers'];
const ALL = [...REQUIRED, 'distinct_promoters'];
const shape = (columns: Readonly<Record<string, string | null>>): RowShape =>
  new Map(Object.entries(columns).map(([name, type]) => [name, { type, isReadable: true }]));
const named = (...names: string[]) => shape(Object.fromEntries(names.map((name) => [name, 'JSON string'])));

/** The observations after each other. */
function observe(...shapes: RowShape[]) {
  let columns: readonly SourceColumn[] = [];
  const texts: string[] = [];
  for (const [index, one] of shapes.entries()) {
    const observation = { source: liveDemand, shape: one, timeMs: index, failedFields: new Set<string>() };
    const observed = observeColumns(columns, observation);
    columns = observed.columns;
    for (const { kind, name, after } of observed.changes)
      texts.push(`${index} ${kind} ${name}${kind === 'renamed' ? ` ${after}` : ''}`);
  }
  return { columns, texts };
}

it('a column in the place of a dropped one, of its type, may be the same column', () => {
  expect(observe(named(...ALL, 'a', 'b'), named(...ALL, 'a2', 'b')).texts).toEqual(['1 renamed a a2']);
  expect(observe(named(...ALL, 'a', 'b'), named(...ALL, 'x', 'y')).texts).toEqual([
    '1 renamed a x',
    '1 renamed b y',
  ]);
});

it('a column at the end, or of another type, is another column', () => {
  expect(observe(named(...ALL, 'a', 'b'), named(...ALL, 'b', 'c')).texts).toEqual([
    '1 added c',
    '1 dropped a',
  ]);
  const retyped = shape({
    ...Object.fromEntries([...ALL, 'a'].map((name) => [name, 'JSON string'])),
    z: 'JSON number',
  });
  expect(observe(named(...ALL, 'a', 'b'), retyped).texts).toEqual(['1 added z', '1 dropped b']);
});

it('a column that comes back is added, and no trace of its drop is left', () => {
  const { columns, texts } = observe(named(...ALL, 'a'), named(...ALL), named(...ALL, 'a'));
  expect(texts).toEqual(['1 dropped a', '2 added a']);
  expect(columns.find(({ name }) => name === 'a')).toMatchObject({ droppedMs: null, firstSeenMs: 0 });
});

it('a declared type that returns is a change; a kind of JSON that returns is not', () => {
  const typed = (type: string) => shape({ ...Object.fromEntries(ALL.map((name) => [name, null])), a: type });
  expect(observe(typed('int32'), typed('int64'), typed('int32')).texts).toEqual([
    '1 type_changed a',
    '2 type_changed a',
  ]);
  expect(observe(typed('JSON number'), typed('JSON string'), typed('JSON number')).texts).toEqual([
    '1 type_changed a',
  ]);
});

it('after any history, the columns are those of the newest record, and repeating it changes nothing', () => {
  const shapes = fc.array(
    fc.dictionary(
      fc.constantFrom(...ALL, 'max_sold_out_lead_days', 'x', 'y'),
      fc.constantFrom(null, 'int32', 'JSON string'),
      {
        minKeys: 1,
        noNullPrototype: true,
      },
    ),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(shapes, (history) => {
      const all = history.map(shape);
      const newest = all.at(-1) as RowShape;
      const { columns } = observe(...all);
      const present = columns.filter(({ droppedMs }) => droppedMs === null);
      expect(new Set(present.map(({ name }) => name))).toEqual(new Set(newest.keys()));
      expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
      const failing = columns.filter((column) => problemOf(liveDemand, column) === 'failing');
      expect(failing.map(({ name }) => name).sort()).toEqual(ALL.filter((name) => !newest.has(name)).sort());
      const again = observeColumns(columns, {
        source: liveDemand,
        shape: newest,
        timeMs: 1_000,
        failedFields: new Set(),
      });
      expect(again.changes).toEqual([]);
      expect(new Set(again.columns)).toEqual(new Set(columns));
    }),
  );
});
