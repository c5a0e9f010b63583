import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { orNull } from '../../../projections/engine/values.ts';
import { plainSchema } from './plain-schema.ts';

const tier = Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'Tier.' });

it('expresses null as a type', () => {
  expect(plainSchema(orNull(Type.Integer({ minimum: 1 })))).toEqual({
    type: ['integer', 'null'],
    minimum: 1,
  });
  expect(plainSchema(orNull(Type.Object({ a: Type.String() })))).toEqual({
    type: ['object', 'null'],
    properties: { a: { type: 'string' } },
    required: ['a'],
  });
});

it('expresses constants as an enum, with null', () => {
  expect(plainSchema(tier)).toEqual({ type: 'string', enum: ['a', 'b'], description: 'Tier.' });
  expect(plainSchema(orNull(tier))).toEqual({
    type: ['string', 'null'],
    enum: ['a', 'b', null],
    description: 'Tier.',
  });
  expect(plainSchema(Type.Union([...tier.anyOf, Type.Null()]))).toEqual({
    type: ['string', 'null'],
    enum: ['a', 'b', null],
  });
  expect(plainSchema(orNull(Type.Literal('a')))).toEqual({ type: ['string', 'null'], enum: ['a', null] });
});

it('keeps a choice between types', () => {
  expect(plainSchema(Type.Union([Type.String(), Type.Array(tier)]))).toEqual({
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { type: 'string', enum: ['a', 'b'], description: 'Tier.' } },
    ],
  });
  expect(plainSchema(orNull(Type.Union([Type.String(), Type.Number()], { description: 'Either.' })))).toEqual(
    {
      description: 'Either.',
      anyOf: [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'null' }],
    },
  );
});
