import { Type } from '@sinclair/typebox';
import { BreakoutItem, CORROBORATIONS, TIERS } from '../../../projections/breakouts/item.ts';
import { ClampedLimit, snapshotFields } from './discovery.ts';

const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Optional(Type.Unsafe<V>({ type: 'string', enum: values, description }));

export const BreakoutsQuery = Type.Object(
  {
    tier: oneOf(TIERS, 'Only artists of this tier of emergence.'),
    corroboration: oneOf(CORROBORATIONS, 'Only artists whom the press corroborates, or who are ahead of it.'),
    limit: ClampedLimit,
  },
  { additionalProperties: false },
);

export const BreakoutsBody = Type.Object({
  items: Type.Array(BreakoutItem, { description: 'Who emerges most comes first.' }),
  ...snapshotFields,
});
