import { dossierDocument } from '../dossier.ts';
import type { Address, Projected, Projection, Read, SourceRegistry } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { isAbout, type SubjectKind } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { buildArtist } from './dossier.ts';
import { facets } from './facets/index.ts';
import { artistSubject, boundCatalogRefs, clusterSlugs } from './lanes.ts';
import { isKnownArtist, readLanes } from './read-lanes.ts';

const KINDS: readonly SubjectKind[] = ['artist', 'catalog-artist'];

const reads: readonly Read[] = [
  ...new Set([artistIdentityBridge, ...facets.flatMap((facet) => facet.sources)]),
].map((source) => ({
  source,
  by: KINDS.filter((kind) => isAbout(source, kind)),
}));

/**
 * The artist dossier, one document a lane: `artist:<cluster id>` and `catalog-artist:<id>`. A catalogue
 * document holds the rows of the cluster that a bridge binds to it.
 */
export const artistProjection: Projection = {
  name: 'artist',
  reads,
  keys: KINDS,
  async project(keys, readRows, registry) {
    const rows = await readLanes(reads, keys, readRows);
    return keys.map((key) => projectArtist(key, rows, registry));
  },
};

function projectArtist(key: SubjectRef, rows: MirrorRows, registry: SourceRegistry): Projected {
  const subject = artistSubject(key, rows);
  const touches = subject.lane === 'cluster' ? boundCatalogRefs(rows, key) : [];
  if (!isKnownArtist(reads, key, rows)) return { key, document: null, touches };
  return {
    key,
    document: dossierDocument(buildArtist(subject, rows), addressesOf(key, rows), registry),
    touches,
  };
}

/** A slug belongs to the catalogue artist first, then to the booking graph, then to a published name. */
function addressesOf(key: SubjectRef, rows: MirrorRows): Address[] {
  const artist = rows.one(catalogArtist, key);
  if (artist !== null) return [{ address: artist.slug.toLowerCase(), rank: 0, support: 0 }];
  return clusterSlugs(rows, key).map(({ slug, rank, support }) => ({
    address: slug,
    rank,
    support,
  }));
}
