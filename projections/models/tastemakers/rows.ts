import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { orNull } from '../../engine/values.ts';

/** Name of the index, and of its lists as served. */
export const TASTEMAKERS = 'tastemakers';
export const TASTEMAKER_LISTS = ['leaderboard', 'onesToWatch', 'earlySpinners'] as const;

const literals = <const V extends string>(...values: readonly V[]) =>
  Type.Union(values.map((value) => Type.Literal(value)));

const EmergenceTier = literals('breakout', 'rising', 'climbing', 'steady');
export const MomentumTier = literals('breakout', 'rising', 'steady', 'cooling', 'dormant');
const Profile = literals('network-velocity', 'festival-pedigree');
const Axis = literals('press', 'airplay', 'djset', 'storefront', 'sync');

const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });
const number = (description: string) => Type.Number({ description });
const numberOrNull = (description: string) => orNull(number(`${description}; null where unknown.`));

/** The artist of a row. */
const artist = {
  rank: Type.Integer({ minimum: 1, description: 'Place in the list, from 1.' }),
  name: Type.String({ description: 'Display name.' }),
  catalogArtistId: orNull(
    Type.Integer({ description: 'Catalogue artist id; null where none is bound to the artist.' }),
  ),
  slug: orNull(Type.String({ description: 'Slug that leads to the artist; null if none does.' })),
};

/** Facts beyond bookings. */
const further = {
  undergroundToBookingDays: numberOrNull('Days from the underground to the first booking'),
  pressToAirplayDays: numberOrNull('Days from the first press to the first airplay'),
  demandCoverage: numberOrNull('How much of the buying on the storefront is known with its day'),
  ownerReach: numberOrNull('Fans who bought a release on the storefront'),
  alsoOwnDegree: numberOrNull('Other artists whom the same fans bought'),
  earliestSupportedAt: orNull(
    Type.String({ format: 'date', description: 'Day of the earliest known purchase; null where unknown.' }),
  ),
};

export const LeaderboardRow = Type.Object(
  {
    ...artist,
    ownTier: described(EmergenceTier, "The artist's own tier of emergence."),
    degree: number('Artists met at events.'),
    emergingNeighbours: number('Of them, those who emerge.'),
    pctEmerging: number('Share of those who emerge, in percent.'),
    brokerageScore: numberOrNull('How far the artist joins circles that else would not meet'),
    egoDensity: numberOrNull('How closely the artists met know each other, 0 to 1'),
    ...further,
  },
  { description: 'One artist whose circle includes emerging artists.' },
);
export type LeaderboardRow = Static<typeof LeaderboardRow>;

export const OneToWatch = Type.Object(
  {
    ...artist,
    emergenceTier: described(EmergenceTier, 'Tier of emergence.'),
    momentumTier: described(MomentumTier, 'Tier of momentum.'),
    emergenceScore: number('How strongly the artist emerges, more being stronger.'),
    profile: described(
      Profile,
      'What carries the artist: festivals that look ahead, or the speed at which the circle grows.',
    ),
    cultureForwardFestivals: number('Festivals that look ahead and booked the artist.'),
    fiveFactorScore: numberOrNull('Score of the festival pedigree'),
    degree: number('Artists met at events.'),
    linkable: Type.Boolean({ description: 'Whether slug leads to the dossier of the artist.' }),
    coFestivalCount: numberOrNull(
      'Festivals shared with other artists; without a festival pedigree, those shared with the artist met most often',
    ),
    coCountryCount: numberOrNull('Countries of those festivals, counted in the same way'),
    ...further,
    brokerageScore: numberOrNull('How far the artist joins circles that else would not meet'),
    corroborationCount: numberOrNull('How many axes corroborate the bookings'),
    corroboratingAxes: Type.Array(Axis, { description: 'The axes that corroborate the bookings.' }),
  },
  { description: 'One artist who emerges and gains momentum.' },
);
export type OneToWatch = Static<typeof OneToWatch>;

export const EarlySpinner = Type.Object(
  {
    rank: artist.rank,
    djName: Type.String({ description: 'Name of the DJ.' }),
    totalMastersPlayed: number('Release groups that the DJ played.'),
    mastersPlayedFirst: number('Of them, those that the DJ played before any other DJ.'),
    mastersPlayedWithin7d: number('Of them, those that the DJ played within 7 days of the first.'),
    cuttingEdgeScore: number('How early the DJ is, more being earlier.'),
    firstPlayAt: orNull(
      Type.String({ format: 'date', description: 'Day of the first known play; null where unknown.' }),
    ),
    latestPlayAt: orNull(
      Type.String({ format: 'date', description: 'Day of the latest known play; null where unknown.' }),
    ),
  },
  { description: 'One DJ who plays music early.' },
);
export type EarlySpinner = Static<typeof EarlySpinner>;
