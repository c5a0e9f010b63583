import { artistMentionDaily } from '../../contracts/archive/artist-mention-daily.ts';
import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { listenFlowByClusterV1 } from '../../contracts/mirror/listen-flow-by-cluster-v1.ts';
import { marketVsFlowDivergenceV1 } from '../../contracts/mirror/market-vs-flow-divergence-v1.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Press about artists, and listening. */
export const pressAndListeningSemantics: readonly DescribedSurface[] = [
  describeSurface(artistPressMentions, {
    audience_blurb: 'Pieces in watched outlets that name the artist, newest first, each with its link.',
    scale_bands: [
      'kind press: a news piece',
      'kind review: a review of a release or a show',
      'kind interview: the artist speaks',
      'kind feature: a longer piece about the artist',
      'kind mention: named in a piece about something else',
    ],
    honest_limits: 'Absence reflects which outlets are watched, not that nobody wrote.',
    caveats: [
      'Mentions are found by name, so a piece about a namesake may be among them.',
      'A piece in several outlets is there several times.',
    ],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(artistMentionDaily, {
    audience_blurb: 'On which days watched outlets named the artist, and how many did.',
    scale_bands: [],
    honest_limits: 'A day without a row is a day without a mention that was seen.',
    caveats: ['Counts rise when an outlet begins to be watched, without anybody writing more.'],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(listenFlowByClusterV1, {
    audience_blurb: 'How the listening to the artist changes from week to week.',
    scale_bands: [],
    honest_limits: 'It is a panel of those who publish what they hear, not the public.',
    caveats: [
      'Read the course over weeks, not the height: the panel is not scaled to any population.',
      'The change of the first week on file is null.',
    ],
    clock_class: 'snapshot',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(marketVsFlowDivergenceV1, {
    audience_blurb: 'Whether what is paid for records of the artist and how much they are heard go apart.',
    scale_bands: [],
    honest_limits: 'A divergence names no reason: scarcity, fashion and a reissue look alike.',
    caveats: ['Both sides are relative to other artists; neither is a price nor a number of listeners.'],
    clock_class: 'snapshot',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
];
