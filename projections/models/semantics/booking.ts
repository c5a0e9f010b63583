import { artistBrokerage } from '../../contracts/seen/artist-brokerage.ts';
import { artistCrossTierNetwork } from '../../contracts/seen/artist-cross-tier-network.ts';
import { artistEmergenceNarrativePublic } from '../../contracts/seen/artist-emergence-narrative-public.ts';
import { artistFestivalCoAppearance } from '../../contracts/seen/artist-festival-co-appearance.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../contracts/seen/artist-network-position.ts';
import { artistTierPresence } from '../../contracts/seen/artist-tier-presence.ts';
import { liveDemand } from '../../contracts/seen/live-demand.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Bookings, shared bills and their changes. */
export const bookingSemantics: readonly DescribedSurface[] = [
  describeSurface(performingEntity, {
    audience_blurb: 'Who has been announced on stages under this name, and on how many of them.',
    scale_bands: [],
    honest_limits: 'Events that no watched listing announced are not counted.',
    caveats: [
      'The name is as it was billed: a duo, a live band and a solo act of one person are three entities.',
      'An announced event may have been called off.',
    ],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(artistMomentum, {
    audience_blurb:
      'Whether bookings of the artist grow, hold or fade, compared with what the artist was used to.',
    scale_bands: [
      'emergence_tier breakout: booked far beyond the usual of the artist, on stages that are new to them',
      'emergence_tier rising: clearly more bookings than usual',
      'emergence_tier climbing: somewhat more than usual, not yet steadily',
      'emergence_tier steady: about as booked as before',
      'momentum_tier breakout: the recent change is exceptional',
      'momentum_tier rising: the recent change is upward',
      'momentum_tier steady: no clear change',
      'momentum_tier cooling: fewer bookings than before',
      'momentum_tier dormant: hardly any recent booking',
    ],
    honest_limits: 'It speaks of bookings alone: neither of quality nor of audience.',
    caveats: [
      'Scores order artists; a difference between two scores is no amount of anything.',
      'An artist who pauses by choice reads as cooling or dormant.',
      'Tiers may change from one day to the next although nothing happened, because the window moves.',
    ],
    clock_class: 'window',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
  describeSurface(artistNetworkPosition, {
    audience_blurb: 'How many others the artist has shared bills with, and how many of those are emerging.',
    scale_bands: [],
    honest_limits: 'A bill shared is no acquaintance, and no endorsement.',
    caveats: ['Festivals put many names on one bill, so a single festival may add many neighbours.'],
    clock_class: 'window',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
  describeSurface(artistTierPresence, {
    audience_blurb: 'Whether the artist plays clubs, festivals or both, and since when.',
    scale_bands: [],
    honest_limits: 'Private and unlisted events are not seen.',
    caveats: ['Days at one festival are one edition; nights at one club are separate events.'],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(artistFestivalCoAppearance, {
    audience_blurb: 'Who else was on the festivals that the artist played.',
    scale_bands: [],
    honest_limits: 'Only festivals with a published line-up count.',
    caveats: [
      'Being on the same festival does not mean the same stage or the same day.',
      'The strongest edges belong to artists who play many festivals, not to those who belong together most.',
    ],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(artistCrossTierNetwork, {
    audience_blurb: 'With whom from other tiers the artist has shared bills.',
    scale_bands: [],
    honest_limits: 'The tier is the present one of the other artist, not the one at the time of the event.',
    caveats: ['An edge says that two were booked together, not who was booked because of whom.'],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(artistBrokerage, {
    audience_blurb: 'Whether the artist connects scenes that otherwise share no bills.',
    scale_bands: [],
    honest_limits:
      'It is a position among bookings; it does not say that the artist brings anybody together.',
    caveats: [
      'With few neighbours the score is null: there is nothing to stand between.',
      'The score orders artists and is not comparable over time.',
    ],
    clock_class: 'snapshot',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
  describeSurface(artistEmergenceNarrativePublic, {
    audience_blurb: 'The turns in the career of the artist as bookings show them, each with its date.',
    scale_bands: [],
    honest_limits: 'Turns are seen in hindsight, and some are moved when later bookings become known.',
    caveats: ['No turn on file means that none was clear, not that nothing happened.'],
    clock_class: 'event',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
  describeSurface(liveDemand, {
    audience_blurb: 'How well the announced events of the artist sell, as far as ticket sellers show it.',
    scale_bands: [],
    honest_limits: 'Events without public availability are not tracked.',
    caveats: [
      'A small room sells out sooner than a large one: selling out says nothing about the number of tickets.',
      'A seller that shows an event as sold out may release more tickets.',
    ],
    clock_class: 'window',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
];
