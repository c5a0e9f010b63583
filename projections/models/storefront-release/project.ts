import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import {
  type ProjectedDocument,
  type Projection,
  type Read,
  type ReadRows,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { boundCatalogRefs, boundCluster } from '../artist/lanes.ts';
import { buildRelease } from './release.ts';

const reads: readonly Read[] = [
  { source: storefrontItem, by: ['storefront-item'] },
  { source: storefrontTrack, by: ['storefront-item'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
];

/** Read for a dirty key: the rows of a release, or the rows that lead from an artist to releases. */
const firstReads: readonly Read[] = [
  { source: storefrontItem, by: ['storefront-item', 'artist'] },
  { source: storefrontTrack, by: ['storefront-item'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
];

/**
 * Storefront releases, one document each: `storefront-item:<id>`. Lookup keys are `<owner>/<id>`; an owner is the cluster
 * or a catalogue artist bound to it. A changed bridge marks an artist dirty: dependents of a catalogue artist are the
 * clusters whose bridges name it, dependents of a cluster are its releases.
 */
export const storefrontReleaseProjection: Projection = {
  name: 'storefront-release',
  version: 2,
  reads,
  keys: ['storefront-item'],
  async project(keys, readRows, registry) {
    const rows = await readRows(firstReads, keys);
    const clusters = new Set(keys.flatMap((key) => clusterOf(key, rows) ?? []));
    const owners = await readOwners([...clusters], readRows);
    return keys.map((key) => projectKey(key, { rows, owners, registry }));
  },
};

interface ReleaseContext {
  readonly rows: MirrorRows;
  readonly owners: Owners;
  readonly registry: SourceRegistry;
}

function projectKey(key: SubjectRef, context: ReleaseContext): ProjectedDocument {
  const { rows } = context;
  switch (splitRef(key).kind) {
    case 'artist':
      return { key, document: null, dependents: releasesOf(key, rows) };
    case 'catalog-artist':
      return { key, document: null, dependents: clustersNaming(key, rows) };
    default:
      return projectRelease(key, context);
  }
}

function projectRelease(key: SubjectRef, { rows, owners, registry }: ReleaseContext): ProjectedDocument {
  const release = buildRelease(key, rows);
  const cluster = clusterOf(key, rows);
  if (release === null || cluster === null) return { key, document: null, dependents: [] };
  const lookupKeys = (owners.get(cluster) ?? []).map((owner) => ({
    value: `${owner}/${splitRef(key).value}`,
    rank: 0,
    support: 0,
  }));
  return { key, document: dossierDocument(release, lookupKeys, registry), dependents: [] };
}

/** The cluster of a release; null for other keys. */
function clusterOf(key: SubjectRef, rows: MirrorRows): SubjectRef | null {
  if (splitRef(key).kind !== 'storefront-item') return null;
  const item = rows.one(storefrontItem, key);
  return item && subjectRef('artist', item.cluster_id);
}

const releasesOf = (cluster: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  rows.all(storefrontItem, cluster).map((item) => subjectRef('storefront-item', item.item_id));

const clustersNaming = (artist: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  rows.all(artistIdentityBridge, artist).map((bridge) => subjectRef('artist', bridge.cluster_id));

/** For each cluster the owners of its releases: the cluster and the catalogue artists bound to it. */
type Owners = ReadonlyMap<SubjectRef, readonly SubjectRef[]>;

/**
 * A bridge that names a catalogue artist does not bind it yet, because another bridge may take precedence. So this reads
 * the bridges of the clusters, then all bridges of their catalogue artists.
 */
async function readOwners(clusters: readonly SubjectRef[], readRows: ReadRows): Promise<Owners> {
  const own = await readRows([{ source: artistIdentityBridge, by: ['artist'] }], clusters);
  const named = clusters.flatMap((cluster) => boundCatalogRefs(own, cluster));
  const naming = await readRows([{ source: artistIdentityBridge, by: ['catalog-artist'] }], named);
  return new Map(
    clusters.map((cluster) => {
      const { value } = splitRef(cluster);
      const bound = boundCatalogRefs(own, cluster).filter((artist) => boundCluster(naming, artist) === value);
      return [cluster, [cluster, ...bound]];
    }),
  );
}
