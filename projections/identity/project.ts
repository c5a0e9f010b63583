import { hash } from 'node:crypto';
import { boundCatalogRefs } from '../artist/lanes.ts';
import { isKnownArtist, readLanes } from '../artist/read-lanes.ts';
import type { Address, Document, Projected, Projection, Read } from '../projection.ts';
import { splitRef, storableAddresses } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { clusterAliasV1 } from '../sources/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../sources/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../sources/spine/spine-artist-name-published-view.ts';
import { type Identity, identityOf } from './answer.ts';
import { bareName, normalizeName } from './name.ts';

/** Who comes first when several artists have a claim to one name. */
export const NAME_RANK = {
  catalogName: 0,
  homonym: 1,
  catalogAlias: 2,
  publishedName: 3,
  performingName: 4,
  clusterAlias: 5,
} as const;

const reads: readonly Read[] = [
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
  { source: spineArtistNamePublishedView, by: ['artist'] },
  { source: performingEntity, by: ['artist'] },
  { source: clusterAliasV1, by: ['artist'] },
  { source: clusterAuthorityIdsV1, by: ['artist'] },
];

/** Who an artist is, addressed by every name and structured id it answers to. */
export const identityProjection: Projection = {
  name: 'identity',
  reads,
  keys: ['artist', 'catalog-artist'],
  async project(keys, readRows) {
    const rows = await readLanes(reads, keys, readRows);
    return keys.map((key) => projectIdentity(key, rows));
  },
};

function projectIdentity(key: SubjectRef, rows: MirrorRows): Projected {
  const isCatalog = splitRef(key).kind === 'catalog-artist';
  const touches = isCatalog ? [] : boundCatalogRefs(rows, key);
  if (!isKnownArtist(reads, key, rows)) return { key, document: null, touches };
  const identity = identityOf(key, rows);
  const claims = isCatalog ? catalogAddresses(key, rows, identity) : clusterAddresses(key, rows);
  return { key, document: document(identity, claims), touches };
}

function document(identity: Identity, claims: readonly Address[]): Document {
  const addresses = storableAddresses(claims);
  const body = JSON.stringify(identity);
  return {
    hash: hash('sha256', `${body}\n${JSON.stringify(addresses)}`, 'buffer').subarray(0, 16),
    body: () => Buffer.from(body),
    addresses,
  };
}

const named = (name: string, rank: number, support = 0): Address => ({
  address: `name:${normalizeName(name)}`,
  rank,
  support,
});

function catalogAddresses(key: SubjectRef, rows: MirrorRows, { locators: { mbid } }: Identity): Address[] {
  const artist = rows.one(catalogArtist, key);
  if (artist === null) return [];
  const bare = bareName(artist.name);
  return [
    { address: `catalog:${artist.catalog_artist_id}`, rank: 0, support: 0 },
    ...(mbid === null ? [] : [{ address: `mbid:${mbid}`, rank: 0, support: 0 }]),
    named(artist.name, NAME_RANK.catalogName),
    ...(bare === null ? [] : [named(bare, NAME_RANK.homonym)]),
    ...artist.aliases.map((alias) => named(alias, NAME_RANK.catalogAlias)),
  ];
}

function clusterAddresses(key: SubjectRef, rows: MirrorRows): Address[] {
  const published = rows.one(spineArtistNamePublishedView, key);
  const performing = rows.one(performingEntity, key);
  const mbids = new Set(
    [
      rows.one(artistIdentityBridge, key)?.mbid ?? null,
      ...rows.all(clusterAuthorityIdsV1, key).map((id) => (id.scheme === 'mbid' ? id.value : null)),
    ].filter((mbid) => mbid !== null),
  );
  return [
    { address: `cluster:${splitRef(key).value}`, rank: 0, support: 0 },
    ...[...mbids].map((mbid) => ({
      address: `mbid:${mbid}`,
      rank: 1,
      support: 0,
    })),
    ...(published ? [named(published.published_name, NAME_RANK.publishedName)] : []),
    ...(performing ? [named(performing.name, NAME_RANK.performingName, performing.distinct_events)] : []),
    ...rows.all(clusterAliasV1, key).map((alias) => named(alias.alias, NAME_RANK.clusterAlias)),
  ];
}
