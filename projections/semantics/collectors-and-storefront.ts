import { wantlistDemandByClusterV1 } from '../sources/mirror/wantlist-demand-by-cluster-v1.ts';
import { storefrontArtistGravity } from '../sources/seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from '../sources/seen/storefront-artist-tastemaker-quality.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Who owns and who wishes for releases of an artist. */
export const collectorsAndStorefrontSemantics: readonly DescribedSurface[] = [
  describeSurface(wantlistDemandByClusterV1, {
    audience_blurb: 'How many collectors own, and how many look for, releases of the artist.',
    scale_bands: [],
    honest_limits: 'It knows collectors who keep their lists in public, and nobody else.',
    caveats: [
      'Fewer than five wishes are reported as none.',
      'Owners are counted over the whole past, wishes as they stand.',
    ],
    clock_class: 'snapshot',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(storefrontArtistGravity, {
    audience_blurb: 'How many people support the artist on the storefront, or wish to, and since when.',
    scale_bands: [],
    honest_limits: 'Sales are not seen; only what buyers show of their collections.',
    caveats: [
      'Fewer than five wishes are reported as none, and the day and the coverage of wishes are null beside them.',
      'Coverage tells how much of the catalogue of the artist the counts rest on: low coverage means a weak count.',
    ],
    clock_class: 'sighting',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(storefrontArtistTastemakerQuality, {
    audience_blurb: 'Whether those who support the artist have supported others early before.',
    scale_bands: [],
    honest_limits: 'It describes the supporters and not the music.',
    caveats: [
      'A small cohort makes the number unsteady: read the size of the cohort first.',
      'It is a relative number: it orders artists and measures nothing.',
    ],
    clock_class: 'snapshot',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
];
