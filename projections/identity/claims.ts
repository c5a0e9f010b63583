import { isBind } from '../artist/lanes.ts';
import { boundedAddress } from '../bounded-address.ts';
import { pairedClaims } from '../paired-claims.ts';
import { supportOf } from '../plain-document.ts';
import { type Address, splitRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { clusterAliasV1 } from '../sources/mirror/cluster-alias-v1.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../sources/spine/spine-artist-name-published-view.ts';
import { bareName, normalizeName } from './name.ts';
import { type AuthorityId, type KnownPages, type Page, pageAddress } from './pages.ts';

/** Who comes first when several artists have a claim to one name. */
export const NAME_RANK = {
  catalogName: 0,
  homonym: 1,
  catalogAlias: 2,
  publishedName: 3,
  performingName: 4,
  clusterAlias: 5,
} as const;

/** Who comes first when several have a claim to be a cluster. */
const ARTIST_RANK = { bound: 0, own: 1, mergedInto: 2 } as const;

/**
 * Who comes first when several have a claim to one id or page: whose own id it is; for whom an authority has verified
 * it, the surest first; for whom it has not; whose catalogue entry lists it; who declares it.
 */
const ID_RANK = { own: 0, verified: 1, unverified: 2_001, listed: 4_000, declared: 5_000 } as const;
const STEPS_OF_CONFIDENCE = 1_000;

/** Whether nobody vouches for a claim to an id or a page. */
export const isUnverified = (rank: number): boolean => rank >= ID_RANK.unverified;

function authorityRank(isVerified: boolean, confidence: number): number {
  const doubt = 1 - Math.min(Math.max(confidence, 0), 1);
  return (isVerified ? ID_RANK.verified : ID_RANK.unverified) + Math.round(STEPS_OF_CONFIDENCE * doubt);
}

const CLUSTER_ID = /^[0-9a-f]{64}$/i;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const clusterAddress = (cluster: string): string => `cluster:${cluster.toLowerCase()}`;
/** Of whoever a cluster is: the catalogue artist who is bound to it, else the cluster itself. */
export const artistAddress = (cluster: string): string => `artist:${cluster.toLowerCase()}`;
export const catalogAddress = (id: number): string => `catalog:${id}`;
export const mbidAddress = (mbid: string): string => `mbid:${mbid.toLowerCase()}`;
export const nameAddress = (name: string): string => boundedAddress('name', normalizeName(name));

const claim = (address: string, rank: number, support = 0): Address => ({ address, rank, support });

function named(name: string, rank: number, events = 0): Address[] {
  return normalizeName(name) === '' ? [] : [claim(nameAddress(name), rank, supportOf(events))];
}

/** @param cluster that is bound to the artist, whose ids and pages are the artist's too; null for none */
export function catalogClaims(
  key: SubjectRef,
  cluster: SubjectRef | null,
  rows: MirrorRows,
  pages: KnownPages,
): Address[] {
  const artist = rows.one(catalogArtist, key);
  if (artist === null) return [];
  const own = catalogAddress(artist.catalog_artist_id);
  const bare = bareName(artist.name);
  const ids = surest([
    claim(own, ID_RANK.own),
    ...pageClaims(pages.listed, ID_RANK.listed),
    ...idClaims(cluster, rows, pages),
  ]);
  return [
    ...named(artist.name, NAME_RANK.catalogName),
    ...(bare === null ? [] : named(bare, NAME_RANK.homonym)),
    ...artist.aliases.flatMap((alias) => named(alias, NAME_RANK.catalogAlias)),
    ...(cluster === null ? [] : [claim(artistAddress(splitRef(cluster).value), ARTIST_RANK.bound)]),
    ...(cluster === null ? ids : pairedClaims(ids, cluster, 'first')),
  ];
}

export function clusterClaims(key: SubjectRef, rows: MirrorRows, pages: KnownPages): Address[] {
  const published = rows.one(spineArtistNamePublishedView, key);
  const performing = rows.one(performingEntity, key);
  const aliases = rows.all(clusterAliasV1, key).map(({ alias }) => alias);
  const own = splitRef(key).value;
  return [
    claim(clusterAddress(own), ID_RANK.own),
    claim(artistAddress(own), ARTIST_RANK.own),
    // A cluster that was merged into this one.
    ...aliases
      .filter((alias) => CLUSTER_ID.test(alias))
      .flatMap((id) => [
        claim(clusterAddress(id), ID_RANK.verified),
        claim(artistAddress(id), ARTIST_RANK.mergedInto),
      ]),
    ...(published ? named(published.published_name, NAME_RANK.publishedName) : []),
    ...(performing ? named(performing.name, NAME_RANK.performingName, performing.distinct_events) : []),
    ...aliases.flatMap((alias) => named(alias, NAME_RANK.clusterAlias)),
    ...pairedClaims(surest(idClaims(key, rows, pages)), key, 'second'),
  ];
}

/** The ids and pages of a cluster, and of the catalogue artist it is bound to. */
function idClaims(cluster: SubjectRef | null, rows: MirrorRows, pages: KnownPages): Address[] {
  const bridge = rows.one(artistIdentityBridge, cluster);
  const isOverMerged = bridge !== null && bridge.catalog_artist_id_count > 1;
  const bridged: Address[] = [];
  if (bridge !== null) {
    const rank = authorityRank(bridge.is_exact, bridge.confidence);
    if (bridge.mbid !== null) bridged.push(claim(mbidAddress(bridge.mbid), rank));
    if (bridge.catalog_artist_id !== null && isBind(bridge))
      bridged.push(claim(catalogAddress(bridge.catalog_artist_id), rank));
  }
  return [
    ...bridged,
    ...pages.authority.flatMap(({ id, page }) => {
      const address = page === null ? idAddress(id, isOverMerged) : pageAddress(page);
      return address === null ? [] : [claim(address, authorityRank(id.verified, id.confidence))];
    }),
    ...pageClaims(pages.declared, ID_RANK.declared),
  ];
}

/** The best of the claims to each address: what several say of an id or a page counts as the surest says it. */
function surest(claims: readonly Address[]): Address[] {
  const best = new Map<string, Address>();
  for (const one of claims) {
    const other = best.get(one.address);
    if (other === undefined || one.rank < other.rank) best.set(one.address, one);
  }
  return [...best.values()];
}

const pageClaims = (pages: readonly Page[], rank: number): Address[] =>
  pages.map((page) => claim(pageAddress(page), rank));

/** A catalogue id that is not verified may be a homonym's, and of an over-merged cluster it names only a part. */
function idAddress({ scheme, value, verified }: AuthorityId, isOverMerged: boolean): string | null {
  if (scheme === 'mbid') return MBID.test(value) ? mbidAddress(value) : null;
  if (scheme !== 'catalog' || !verified || isOverMerged || !/^\d+$/.test(value)) return null;
  const id = Number(value);
  return Number.isSafeInteger(id) ? catalogAddress(id) : null;
}
