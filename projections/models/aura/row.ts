import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../engine/values.ts';

const day = (description: string) => Type.String({ format: 'date', description });

/** Name of the index and of its only list. */
export const AURA = 'aura';

export const AuraRow = Type.Object(
  {
    cluster_id: Type.String({ description: 'Cluster id, 64 hex digits.' }),
    artist_name: Type.String({
      description: 'Display name; the cluster id where no source names the artist.',
    }),
    convergence_dim_count: Type.Integer({
      minimum: 2,
      description: 'Independent dimensions lit in the 18-month window; it can decrease.',
    }),
    dimensions: Type.Array(Type.String(), {
      description: 'The lit dimensions, in the order of arrival.',
    }),
    break_odds: orNull(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'Percent of the artists who reached this depth and broke within 12 months: a base rate, no forecast for one artist. Null where too few reached it.',
      }),
    ),
    first_signal_at: day('Day on which the first of the lit dimensions appeared.'),
    latest_appearance_at: day(
      'Day on which the newest of the lit dimensions appeared; not that of the latest activity.',
    ),
    has_break_event: Type.Boolean({ description: 'Whether the artist has broken by the day computed for.' }),
    break_event_at: orNull(day('Day of the break event; null where there is none.')),
  },
  { description: 'One artist in whom several signals converge; aggregates only.' },
);
export type AuraRow = Static<typeof AuraRow>;
