import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Ids and names of clusters elsewhere. */
export const identitySemantics: readonly DescribedSurface[] = [
  describeSurface(artistIdentityBridge, {
    audience_blurb: 'Which artist of the catalogue, and of the metadata database, the cluster stands for.',
    scale_bands: [
      'is_exact true with one catalogue artist: the bind may be relied on',
      'is_exact false with one catalogue artist: not to be relied on; bind_method says why, such as conflicting_mbids where ids of the metadata database contradict each other',
      'no catalogue artist: catalog_artist_id is null, and the cluster is bound to the metadata database at most; bind_method is then mbid_only or conflicting_mbids',
      'several catalogue artists: an over-merge or homonyms, the bind stands for none of them alone',
    ],
    honest_limits:
      'No row means that the cluster is not bound yet; a row without a catalogue artist means that it is not bound to the catalogue.',
    caveats: [
      'A cluster is made of a name, so homonyms share it until they are separated.',
      'The catalogue artist of an over-merged cluster must not be shown as the artist.',
    ],
    clock_class: 'register',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(clusterAliasV1, {
    audience_blurb: 'Other names under which the artist is known, each with its source.',
    scale_bands: [],
    honest_limits: 'Spellings that no source has recorded are not known.',
    caveats: [
      'An alias may be a name of several artists: it leads to one only if no other artist is an equal candidate.',
      'An alias that is itself a cluster id is a cluster that was merged into this one.',
    ],
    clock_class: 'register',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(clusterAuthorityIdsV1, {
    audience_blurb: 'Ids and pages of the artist elsewhere, and whether they are verified.',
    scale_bands: [
      'verified true: an authority vouches for it',
      'verified false: found, but no authority has verified it',
      'scheme catalog, mbid, isni, wikidata: an id in a register',
      'scheme storefront, audioshare, photoshare, streaming, videoshare, website: a page of the artist',
    ],
    honest_limits: 'No row of a scheme does not mean that the artist is not there.',
    caveats: ['Pages move and change hands: an address may be out of date. It is never followed here.'],
    clock_class: 'register',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
];
