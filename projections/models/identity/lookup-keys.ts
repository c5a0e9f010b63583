import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../contracts/spine/spine-artist-name-published-view.ts';
import { pairedCandidates } from '../../engine/paired-candidates.ts';
import { supportOf } from '../../engine/plain-document.ts';
import { type LookupKey, splitRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { isBind } from '../artist/lanes.ts';
import { boundedKey } from '../shared/bounded-key.ts';
import { bareName, normalizeName } from '../shared/name.ts';
import type { CatalogArtistOptions } from './identity.ts';
import { type ArtistPage, type AuthorityId, type KnownPages, pageKey } from './pages.ts';

/** Precedence among several artists with the same name. */
export const NAME_RANK = {
  catalogName: 0,
  homonym: 1,
  catalogAlias: 2,
  publishedName: 3,
  performingName: 4,
  clusterAlias: 5,
} as const;

/** Precedence among several candidates for a cluster. */
const ARTIST_RANK = { bound: 0, own: 1, mergedInto: 2 } as const;

/**
 * Precedence among several candidates for one id or page: the owner of the id; verified by an authority, by confidence;
 * given by an authority but unverified; listed in the catalogue; declared by the artist.
 */
const ID_RANK = { own: 0, verified: 1, unverified: 2_001, listed: 4_000, declared: 5_000 } as const;
const CONFIDENCE_STEPS = 1_000;

/** Whether no authority has verified that an id or a page is the artist's. */
export const isUnverified = (rank: number): boolean => rank >= ID_RANK.unverified;

function authorityRank(isVerified: boolean, confidence: number): number {
  const doubt = 1 - Math.min(Math.max(confidence, 0), 1);
  return (isVerified ? ID_RANK.verified : ID_RANK.unverified) + Math.round(CONFIDENCE_STEPS * doubt);
}

const CLUSTER_ID = /^[0-9a-f]{64}$/i;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const clusterKey = (cluster: string): string => `cluster:${cluster.toLowerCase()}`;
/** Finds the catalogue artist bound to a cluster, else the cluster itself. */
export const artistKey = (cluster: string): string => `artist:${cluster.toLowerCase()}`;
export const catalogKey = (id: number): string => `catalog:${id}`;
export const mbidKey = (mbid: string): string => `mbid:${mbid.toLowerCase()}`;
export const nameKey = (name: string): string => boundedKey('name', normalizeName(name));

const lookupKey = (value: string, rank: number, support = 0): LookupKey => ({ value, rank, support });

function nameKeys(name: string, rank: number, events = 0): LookupKey[] {
  return normalizeName(name) === '' ? [] : [lookupKey(nameKey(name), rank, supportOf(events))];
}

/** @param cluster bound to the artist, which shares its ids and pages; null for none */
export function catalogLookupKeys(
  { key, cluster, pages }: CatalogArtistOptions,
  rows: MirrorRows,
): LookupKey[] {
  const artist = rows.one(catalogArtist, key);
  if (artist === null) return [];
  const own = catalogKey(artist.catalog_artist_id);
  const bare = bareName(artist.name);
  const ids = bestOfEach([
    lookupKey(own, ID_RANK.own),
    ...pageKeys(pages.listed, ID_RANK.listed),
    ...idKeys(cluster, rows, pages),
  ]);
  return [
    ...nameKeys(artist.name, NAME_RANK.catalogName),
    ...(bare === null ? [] : nameKeys(bare, NAME_RANK.homonym)),
    ...artist.aliases.flatMap((alias) => nameKeys(alias, NAME_RANK.catalogAlias)),
    ...(cluster === null ? [] : [lookupKey(artistKey(splitRef(cluster).value), ARTIST_RANK.bound)]),
    ...(cluster === null ? ids : pairedCandidates(ids, cluster, 'first')),
  ];
}

export function clusterLookupKeys(key: SubjectRef, rows: MirrorRows, pages: KnownPages): LookupKey[] {
  const published = rows.one(spineArtistNamePublishedView, key);
  const performing = rows.one(performingEntity, key);
  const aliases = rows.all(clusterAliasV1, key).map(({ alias }) => alias);
  const own = splitRef(key).value;
  return [
    lookupKey(clusterKey(own), ID_RANK.own),
    lookupKey(artistKey(own), ARTIST_RANK.own),
    // An alias that is a cluster id is a cluster merged into this one.
    ...aliases
      .filter((alias) => CLUSTER_ID.test(alias))
      .flatMap((id) => [
        lookupKey(clusterKey(id), ID_RANK.verified),
        lookupKey(artistKey(id), ARTIST_RANK.mergedInto),
      ]),
    ...(published ? nameKeys(published.published_name, NAME_RANK.publishedName) : []),
    ...(performing ? nameKeys(performing.name, NAME_RANK.performingName, performing.distinct_events) : []),
    ...aliases.flatMap((alias) => nameKeys(alias, NAME_RANK.clusterAlias)),
    ...pairedCandidates(bestOfEach(idKeys(key, rows, pages)), key, 'second'),
  ];
}

/** The ids and pages of a cluster, including the catalogue artist it is bound to. */
function idKeys(cluster: SubjectRef | null, rows: MirrorRows, pages: KnownPages): LookupKey[] {
  const bridge = rows.one(artistIdentityBridge, cluster);
  const isOverMerged = bridge !== null && bridge.catalog_artist_id_count > 1;
  const bridged: LookupKey[] = [];
  if (bridge !== null) {
    const rank = authorityRank(bridge.is_exact, bridge.confidence);
    if (bridge.mbid !== null) bridged.push(lookupKey(mbidKey(bridge.mbid), rank));
    if (bridge.catalog_artist_id !== null && isBind(bridge))
      bridged.push(lookupKey(catalogKey(bridge.catalog_artist_id), rank));
  }
  return [
    ...bridged,
    ...pages.authority.flatMap(({ id, page }) => {
      const value = page === null ? idKey(id, isOverMerged) : pageKey(page);
      return value === null ? [] : [lookupKey(value, authorityRank(id.verified, id.confidence))];
    }),
    ...pageKeys(pages.declared, ID_RANK.declared),
  ];
}

/** Each value once, with its best rank. */
function bestOfEach(keys: readonly LookupKey[]): LookupKey[] {
  const best = new Map<string, LookupKey>();
  for (const key of keys) {
    const other = best.get(key.value);
    if (other === undefined || key.rank < other.rank) best.set(key.value, key);
  }
  return [...best.values()];
}

const pageKeys = (pages: readonly ArtistPage[], rank: number): LookupKey[] =>
  pages.map((page) => lookupKey(pageKey(page), rank));

/** Ignores unverified catalogue ids, which may be a homonym's, and those of over-merged clusters, which name only a part. */
function idKey({ scheme, value, verified }: AuthorityId, isOverMerged: boolean): string | null {
  if (scheme === 'mbid') return MBID.test(value) ? mbidKey(value) : null;
  if (scheme !== 'catalog' || !verified || isOverMerged || !/^\d+$/.test(value)) return null;
  const id = Number(value);
  return Number.isSafeInteger(id) ? catalogKey(id) : null;
}
