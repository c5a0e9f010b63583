import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import { isAbout, type SubjectKind } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import {
  type LookupKey,
  type ProjectedDocument,
  type Projection,
  type Read,
  type ReadRows,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { changedHosts } from '../config.ts';
import { buildArtist } from './dossier.ts';
import { facets } from './facets/index.ts';
import {
  artistSubject,
  authoritativeRef,
  boundCatalogRefs,
  boundClusters,
  clusterSlugs,
  namedCatalogRefs,
} from './lanes.ts';
import { BINDINGS, isKnownArtist, readLanes } from './read-lanes.ts';

const KINDS: readonly SubjectKind[] = ['artist', 'catalog-artist'];
/** Its documents: the clusters that link to a catalogue artist. */
const ENTRY: SubjectKind = 'catalog-entry';

const reads: readonly Read[] = [
  ...new Set([artistIdentityBridge, ...facets.flatMap((facet) => facet.sources)]),
].map((source) => ({
  source,
  by: [...KINDS.filter((kind) => isAbout(source, kind)), ...(source === catalogArtist ? [ENTRY] : [])],
}));

/**
 * Rows of others. Not in `reads`: the release groups filed under a changed cluster mark their artists dirty, and the
 * entry of a catalogue artist marks the clusters that link to it.
 */
const LINKED: readonly Read[] = [
  { source: artistIdentityBridge, by: ['artist'] },
  { source: catalogArtist, by: ['catalog-artist'] },
];

/**
 * Artist dossiers, one document per lane: `artist:<cluster id>` and `catalog-artist:<id>`. A catalogue document includes
 * the rows of the cluster that a bridge binds to it.
 */
export const artistProjection: Projection = {
  name: 'artist',
  version: 5,
  settings: changedHosts,
  reads,
  keys: KINDS,
  async project(all, readRows, registry) {
    const keys = all.filter((key) => !isEntry(key));
    const rows = await readLanes(reads, keys, readRows);
    const linked = await readRows(
      LINKED,
      keys.flatMap((key) => [...nameClusters(key, rows), ...boundArtist(key, rows)]),
    );
    const dossiers = keys.map((key) => {
      const subject = artistSubject(key, rows);
      const dependents =
        subject.lane === 'cluster'
          ? [...new Set([...boundCatalogRefs(rows, key), ...namedCatalogRefs(rows, key)])]
          : [];
      if (!isKnownArtist(reads, key, rows)) return { key, document: null, dependents };
      const dossier = buildArtist(subject, rows, linked);
      return { key, document: dossierDocument(dossier, lookupKeysOf(key, rows), registry), dependents };
    });
    return [...dossiers, ...(await projectEntries(all.filter(isEntry), readRows))];
  },
};

const isEntry = (key: SubjectRef): boolean => splitRef(key).kind === ENTRY;

/** The entry of a catalogue artist has no document; the clusters that link to the artist are its dependents. */
async function projectEntries(
  entries: readonly SubjectRef[],
  readRows: ReadRows,
): Promise<ProjectedDocument[]> {
  const artistOf = (entry: SubjectRef) => subjectRef('catalog-artist', splitRef(entry).value);
  const binds = await readRows(BINDINGS, entries.map(artistOf));
  return entries.map((key) => ({ key, document: null, dependents: boundClusters(binds, artistOf(key)) }));
}

/** The clusters that the catalogue assigned to the artist's release groups by name. */
const nameClusters = (key: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  rows
    .all(catalogMaster, key)
    .flatMap(({ artist_cluster_id: id }) => (id === null ? [] : [subjectRef('artist', id)]));

/** The catalogue artist that a cluster's dossier links to. */
const boundArtist = (key: SubjectRef, rows: MirrorRows): SubjectRef[] => {
  const artist = splitRef(key).kind === 'artist' ? authoritativeRef(rows, key) : null;
  return artist === null ? [] : [artist];
};

/** A slug belongs to the catalogue artist first, then to the booking graph, then to a published name. */
function lookupKeysOf(key: SubjectRef, rows: MirrorRows): LookupKey[] {
  const artist = rows.one(catalogArtist, key);
  if (artist !== null) return [{ value: artist.slug.toLowerCase(), rank: 0, support: 0 }];
  return clusterSlugs(rows, key).map(({ slug, rank, support }) => ({
    value: slug,
    rank,
    support,
  }));
}
