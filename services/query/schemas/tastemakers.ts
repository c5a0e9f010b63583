import { Type } from '@sinclair/typebox';
import { EarlySpinner, LeaderboardRow, OneToWatch } from '../../../projections/tastemakers/rows.ts';
import { Limit, snapshotFields } from './discovery.ts';

export const TastemakersQuery = Type.Object({ limit: Limit }, { additionalProperties: false });

export const TastemakersBody = Type.Object({
  leaderboard: Type.Array(LeaderboardRow, {
    description:
      'Artists whose circle tells who comes next: those whose brokerage, network and momentum are all known, as no place is given to an artist without a tier of its own.',
  }),
  onesToWatch: Type.Array(OneToWatch, { description: 'Artists who emerge and gain momentum.' }),
  earlySpinners: Type.Array(EarlySpinner, { description: 'DJs who play music early.' }),
  ...snapshotFields,
});

export const OnesToWatchBody = Type.Object({
  items: Type.Array(OneToWatch, { description: 'Artists who emerge and gain momentum.' }),
  ...snapshotFields,
});
