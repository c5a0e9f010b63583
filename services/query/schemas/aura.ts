import { Type } from '@sinclair/typebox';
import { About } from '../../../projections/aura/about.ts';
import { AuraRow } from '../../../projections/aura/row.ts';
import { orNull } from '../../../projections/values.ts';
import { Limit } from './discovery.ts';

export const AuraQuery = Type.Object({ limit: Limit }, { additionalProperties: false });

export const AuraListBody = Type.Object(
  {
    state: Type.Union([Type.Literal('present'), Type.Literal('degraded')], {
      description: 'present, or degraded where a read failed.',
    }),
    about: About,
    items: Type.Array(AuraRow, { description: 'The deepest convergence first.' }),
  },
  { description: 'Artists in whom several signals converge.' },
);

export const AuraBody = Type.Object(
  {
    present: Type.Boolean({ description: 'Whether the artist has a row.' }),
    state: Type.Union([Type.Literal('present'), Type.Literal('honest_gap'), Type.Literal('degraded')], {
      description:
        'present; honest_gap where fewer than two dimensions are lit; degraded where a read failed.',
    }),
    aura: orNull(AuraRow),
  },
  { description: 'The row of one artist.' },
);
