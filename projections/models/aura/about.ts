import { type Static, Type } from '@sinclair/typebox';
import { WINDOW_MONTHS } from './convergence.ts';

export const About = Type.Object(
  {
    what: Type.Object(
      {
        convergence_dim_count: Type.String(),
        break_odds: Type.String(),
        dimensions: Type.String(),
      },
      { description: 'Meaning of the fields of a row, in plain language.' },
    ),
    scope: Type.Object({
      universe: Type.String({ description: 'The artists in the index.' }),
      dimensions: Type.Integer({ description: 'Watched dimensions.' }),
      window_months: Type.Integer({ description: 'How long a dimension stays lit.' }),
      as_of: Type.String({ format: 'date', description: 'The day that the rows are computed for.' }),
    }),
    honest_limits: Type.Array(Type.String(), { description: 'Limits of the index.' }),
  },
  { description: 'What the index measures; the same in every response.' },
);
export type About = Static<typeof About>;

/** Booking, radio, press, DJ sets, storefront, sync and listening. */
const WATCHED_DIMENSIONS = 7;

/** @param asOf YYYY-MM-DD */
export const aboutAura = (asOf: string): About => ({
  what: {
    convergence_dim_count:
      'How many independent kinds of signal saw the artist within the window. It grows as signals arrive and shrinks as they age out.',
    break_odds:
      'Of 100 artists who reached this many kinds of signal, how many had a break event within the 12 months after. It is a base rate at that depth, no forecast for one artist.',
    dimensions:
      'The kinds of signal that count, for example booking, radio or press, in the order of arrival.',
  },
  scope: {
    universe: 'Artists seen by at least two kinds of signal within the window.',
    dimensions: WATCHED_DIMENSIONS,
    window_months: WINDOW_MONTHS,
    as_of: asOf,
  },
  honest_limits: [
    'It measures convergence across the signals observed here, not global popularity.',
    'An artist missing from it may be active where no signal is observed.',
    'break_odds is null where fewer than 30 artists reached the depth at least 12 months ago.',
    'latest_appearance_at is the day on which a new kind of signal appeared, not that of the latest activity.',
    'An artist without new signals leaves the index when the old ones age out of the window.',
  ],
});
