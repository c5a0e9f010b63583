import { wantlistDemandByClusterV1 } from '../../contracts/mirror/wantlist-demand-by-cluster-v1.ts';
import { storefrontArtistGravity } from '../../contracts/seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from '../../contracts/seen/storefront-artist-tastemaker-quality.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Owners of and wishes for releases. */
export const collectorsAndStorefrontSemantics: readonly DescribedSurface[] = [
  describeSurface(wantlistDemandByClusterV1, {
    audience_blurb: 'How many collectors own, and how many look for, releases of the artist.',
    scale_bands: [],
    honest_limits: 'It covers only collectors with public lists.',
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
      'Fewer than five wishes are reported as none, with null for their day and coverage.',
      'Coverage shows how much of the catalogue of the artist the counts rest on: low coverage means a weak count.',
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
