import { clusterArrivalLedgerV1 } from '../../contracts/fleet/cluster-arrival-ledger-v1.ts';
import { artistEmergenceLeadTime } from '../../contracts/seen/artist-emergence-lead-time.ts';
import { placementClaimByClusterV1 } from '../../contracts/sync/placement-claim-by-cluster-v1.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Arrival of artists in each kind of signal. */
export const arrivalSemantics: readonly DescribedSurface[] = [
  describeSurface(clusterArrivalLedgerV1, {
    audience_blurb: 'In which kinds of signal the artist has appeared, and when first in each.',
    scale_bands: [],
    honest_limits: 'It measures what the watching producers see; it is no meter of popularity.',
    caveats: [
      'A producer that began late makes arrivals look late.',
      'Evidence is counted by each producer in its own way: do not compare counts of two dimensions.',
    ],
    clock_class: 'sighting',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(artistEmergenceLeadTime, {
    audience_blurb: 'How long it took from press to airplay, and from the underground to bookings.',
    scale_bands: [],
    honest_limits: 'Only where both ends were seen is there a number.',
    caveats: ['Negative days mean that the later step was seen first.'],
    clock_class: 'sighting',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(placementClaimByClusterV1, {
    audience_blurb: 'Claims that works of the artist were placed in films, series, games or advertising.',
    scale_bands: [],
    honest_limits: 'Claims are passed on as they were made; nobody here has heard the production.',
    caveats: [
      'Several claims may speak of one placement.',
      'The day of the claim is not the day it was aired, which is often unknown.',
    ],
    clock_class: 'sighting',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
];
