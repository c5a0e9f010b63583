import { dossierDocument } from '../dossier.ts';
import {
  type Projected,
  type Projection,
  type Read,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { storefrontItem } from '../sources/storefront/item.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { type Owners, readOwners } from './owners.ts';
import { buildRelease } from './release.ts';

const reads: readonly Read[] = [
  { source: storefrontItem, by: ['storefront-item'] },
  { source: storefrontTrack, by: ['storefront-item'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
];

/** What a marked key is looked up in: a release in its own rows, an artist in those that lead to releases. */
const firstReads: readonly Read[] = [
  { source: storefrontItem, by: ['storefront-item', 'artist'] },
  { source: storefrontTrack, by: ['storefront-item'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
];

/**
 * The storefront release, one document each: `storefront-item:<id>`. Its addresses are `<owner>/<id>`, where an owner
 * is its cluster or a catalogue artist bound to that. An artist is marked when a bridge changes: a catalogue
 * artist touches every cluster whose bridge names it, and a cluster touches its releases.
 */
export const storefrontReleaseProjection: Projection = {
  name: 'storefront-release',
  reads,
  keys: ['storefront-item'],
  async project(keys, readRows, registry) {
    const rows = await readRows(firstReads, keys);
    const clusters = new Set(keys.flatMap((key) => clusterOf(key, rows) ?? []));
    const owners = await readOwners([...clusters], readRows);
    return keys.map((key) => projectKey(key, rows, owners, registry));
  },
};

function projectKey(key: SubjectRef, rows: MirrorRows, owners: Owners, registry: SourceRegistry): Projected {
  switch (splitRef(key).kind) {
    case 'artist':
      return { key, document: null, touches: releasesOf(key, rows) };
    case 'catalog-artist':
      return { key, document: null, touches: clustersNaming(key, rows) };
    default:
      return projectRelease(key, rows, owners, registry);
  }
}

function projectRelease(
  key: SubjectRef,
  rows: MirrorRows,
  owners: Owners,
  registry: SourceRegistry,
): Projected {
  const release = buildRelease(key, rows);
  const cluster = clusterOf(key, rows);
  if (release === null || cluster === null) return { key, document: null, touches: [] };
  const addresses = (owners.get(cluster) ?? []).map((owner) => ({
    address: `${owner}/${splitRef(key).value}`,
    rank: 0,
    support: 0,
  }));
  return { key, document: dossierDocument(release, addresses, registry), touches: [] };
}

/** The cluster that a release is filed under; null for a key that is none. */
function clusterOf(key: SubjectRef, rows: MirrorRows): SubjectRef | null {
  if (splitRef(key).kind !== 'storefront-item') return null;
  const item = rows.one(storefrontItem, key);
  return item && subjectRef('artist', item.cluster_id);
}

const releasesOf = (cluster: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  rows.all(storefrontItem, cluster).map((item) => subjectRef('storefront-item', item.item_id));

const clustersNaming = (artist: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  rows.all(artistIdentityBridge, artist).map((bridge) => subjectRef('artist', bridge.cluster_id));
