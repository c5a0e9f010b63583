import { describe, expect, it } from 'vitest';
import { columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { festival } from '../../../projections/contracts/seen/festival.ts';
import { liveDemand } from '../../../projections/contracts/seen/live-demand.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import { structFieldTypes } from './field-types.ts';
import { PLACEHOLDER } from './reason.ts';
import { compileDecoder } from './row-decoder.ts';
import type { RowShape } from './row-shape.ts';

const typesOf = (shape: RowShape) => Object.fromEntries([...shape].map(([name, { type }]) => [name, type]));
const unreadable = (shape: RowShape) =>
  [...shape].flatMap(([name, { isReadable }]) => (isReadable ? [] : [name]));

describe('the shape of rows without a schema', () => {
  const { shapeOf } = compileDecoder(liveDemand);

  it('is one object for rows with the same columns and kinds of values, null or not', () => {
    const shape = shapeOf({ cluster_id: 'a', events_tracked: 1, avg_fill_fraction: 0.5 });
    expect(typesOf(shape)).toEqual({
      cluster_id: 'JSON string',
      events_tracked: 'JSON number',
      avg_fill_fraction: 'JSON number',
    });
    for (const row of [
      { cluster_id: 'b', events_tracked: 2n, avg_fill_fraction: null },
      { cluster_id: 'c', events_tracked: 3, avg_fill_fraction: 'NaN' },
      { cluster_id: 'd', events_tracked: PLACEHOLDER, avg_fill_fraction: JSON.rawJSON('1.50') },
    ])
      expect(shapeOf(row)).toBe(shape);
  });

  it('learns a type from the first value, and keeps it over nulls', () => {
    expect(typesOf(shapeOf({ note: null }))).toEqual({ note: null });
    const learnt = shapeOf({ note: true });
    expect(typesOf(learnt)).toEqual({ note: 'JSON boolean' });
    expect(shapeOf({ note: null })).toBe(learnt);
  });

  it('is another for another column, another order and another kind', () => {
    const shape = shapeOf({ a: 1, b: 'x' });
    for (const row of [{ a: 1 }, { b: 'x', a: 1 }, { a: '1', b: 'x' }, { a: [1], b: 'x' }, { a: {}, b: 'x' }])
      expect(shapeOf(row)).not.toBe(shape);
  });

  it('alternates between two objects where a producer mixes two kinds', () => {
    const [number, string] = [shapeOf({ mixed: 1 }), shapeOf({ mixed: '1' })];
    expect(shapeOf({ mixed: 2 })).toBe(number);
    expect(shapeOf({ mixed: '2' })).toBe(string);
  });

  it('does not distinguish the kinds of JSON documents', () => {
    const [name] = Object.entries(festival.columns).find(
      ([, column]) => columnShape(column).encoding === 'json',
    ) ?? ['name'];
    const source: Source = {
      ...festival,
      columns: { ...festival.columns, [name]: { encoding: 'json' } as never },
    };
    const shapes = compileDecoder(source);
    expect(shapes.shapeOf({ [name]: [] })).toBe(shapes.shapeOf({ [name]: '{}' }));
  });

  it('says which kinds the contract cannot read', () => {
    expect(unreadable(shapeOf({ events_tracked: [1], demand_tier: 7, cluster_id: 1, note: 1 }))).toEqual([
      'events_tracked',
      'demand_tier',
      'cluster_id',
    ]);
    // Counts may come as text.
    expect(unreadable(shapeOf({ events_tracked: '1', demand_tier: 'x' }))).toEqual([]);
  });
});

describe('the shape that a schema declares', () => {
  const declared = (source: Source, ...fields: object[]): RowShape =>
    compileDecoder(source, structFieldTypes({ fields })).declared as RowShape;

  it('names the logical type, the scale, the items, and whether it may be null', () => {
    const shape = declared(
      radioPlayV1,
      { field: 'played_at', type: 'int64', name: 'io.debezium.time.MicroTimestamp' },
      { field: 'title', type: 'string', optional: true },
      {
        field: 'a',
        type: 'bytes',
        name: 'org.apache.kafka.connect.data.Decimal',
        parameters: { scale: '2' },
      },
      { field: 'b', type: 'array', items: { type: 'int32' }, optional: false },
    );
    expect(typesOf(shape)).toEqual({
      played_at: 'io.debezium.time.MicroTimestamp',
      title: 'string or null',
      a: 'org.apache.kafka.connect.data.Decimal(2)',
      b: 'array of int32',
    });
    expect(unreadable(shape)).toEqual([]);
  });

  it('is that of every row, whatever its values', () => {
    const decoder = compileDecoder(
      liveDemand,
      structFieldTypes({ fields: [{ field: 'a', type: 'string' }] }),
    );
    expect(decoder.shapeOf({ other: 1 })).toBe(decoder.declared);
  });

  it('says which types the contract cannot read, though all values are null', () => {
    const shape = declared(
      radioPlayV1,
      { field: 'title', type: 'int32' },
      { field: 'dj_name', type: 'boolean', optional: true },
      { field: 'station', type: 'array', items: { type: 'string' } },
      { field: 'cluster_id', type: 'bytes' },
    );
    expect(unreadable(shape)).toEqual(['title', 'dj_name', 'station']);
  });

  const SCALE = { parameters: { scale: '0' } };
  /** What Debezium declares for the columns that producers have. */
  const DECLARED: Readonly<Record<Encoding, readonly { readonly type: string; readonly name?: string }[]>> = {
    hex: [{ type: 'bytes' }, { type: 'string' }],
    text: [{ type: 'string' }],
    int: [
      { type: 'int16' },
      { type: 'int32' },
      { type: 'int64' },
      { type: 'bytes', name: 'org.apache.kafka.connect.data.Decimal', ...SCALE },
    ],
    num: [
      { type: 'double' },
      { type: 'float' },
      { type: 'string' },
      { type: 'bytes', name: 'org.apache.kafka.connect.data.Decimal', ...SCALE },
      { type: 'struct', name: 'io.debezium.data.VariableScaleDecimal' },
    ],
    bool: [{ type: 'boolean' }],
    date: [{ type: 'int32', name: 'io.debezium.time.Date' }, { type: 'string' }],
    partial_date: [{ type: 'string' }],
    ts: [
      { type: 'int64', name: 'io.debezium.time.MicroTimestamp' },
      { type: 'int64', name: 'io.debezium.time.Timestamp' },
      { type: 'string', name: 'io.debezium.time.ZonedTimestamp' },
    ],
    uuid: [{ type: 'string', name: 'io.debezium.data.Uuid' }],
    json: [{ type: 'string', name: 'io.debezium.data.Json' }],
  };

  it.each(sources.map((source) => ({ source })))(
    'can be read for all columns of $source.table',
    ({ source }) => {
      for (const [field, column] of Object.entries(source.columns)) {
        const { encoding, isList } = columnShape(column);
        for (const type of DECLARED[encoding]) {
          // Lists of numbers need decimal.handling.mode string or double.
          if (isList && type.name?.includes('Decimal')) continue;
          const shape = declared(source, isList ? { field, type: 'array', items: type } : { ...type, field });
          expect({ field, type, unreadable: unreadable(shape) }).toEqual({ field, type, unreadable: [] });
        }
      }
    },
  );
});
