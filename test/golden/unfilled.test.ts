import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { orNull } from '../../projections/engine/values.ts';
import { neverFilled, unfilledOf } from './unfilled.ts';

const schema = Type.Object({
  name: orNull(Type.String()),
  signals: orNull(Type.Object({ score: orNull(Type.Number()), note: Type.Optional(Type.String()) })),
  items: Type.Array(Type.Object({ url: orNull(Type.String()) })),
  counts: Type.Record(Type.String(), orNull(Type.Integer())),
});

it('names the fields that no value fills', () => {
  const values = [
    { name: null, signals: null, items: [], counts: {} },
    { name: 'Mono', signals: { score: 0 }, items: [{ url: null }], counts: { one: null } },
  ];
  expect(unfilledOf(schema, values, 'artist')).toEqual([
    'artist.signals.note',
    'artist.items[].url',
    'artist.counts.*',
  ]);
  expect(unfilledOf(schema, values.slice(0, 1), 'artist')).toEqual([
    'artist.name',
    'artist.signals',
    'artist.items[]',
    'artist.counts.*',
  ]);
});

it('names them without a schema, where any value has them', () => {
  const values = [
    { name: null, items: [], [`${'0f'.repeat(32)}`]: null },
    { name: null, items: [{ url: null, at: 1 }] },
  ];
  expect(neverFilled(values, 'artist')).toEqual(['artist.name', 'artist.items[].url', 'artist.*']);
});
