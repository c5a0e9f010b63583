import { ArtistRows, type ArtistSubject } from '../../../projections/models/artist/facet.ts';
import { CATALOG_ID, CLUSTER, mirrorRows, type SourceRows } from './source-rows.ts';

/** The same artist in the catalogue lane with and without a bridge, and in the cluster lane. */
export const boundArtist: ArtistSubject = {
  lane: 'catalog',
  catalogArtistId: CATALOG_ID,
  clusterId: CLUSTER,
  key: 'some-artist',
};
export const unboundArtist: ArtistSubject = { ...boundArtist, clusterId: null };
export const clusterOnlyArtist: ArtistSubject = {
  lane: 'cluster',
  catalogArtistId: null,
  clusterId: CLUSTER,
  key: CLUSTER,
};

/** What a facet sees of the artist. */
export const artistFacetRows = (subject: ArtistSubject, ...given: readonly SourceRows[]): ArtistRows =>
  new ArtistRows(subject, mirrorRows(...given));
