import type { Pool } from 'pg';
import { readIdentity } from '../identity/identity.ts';
import { catalogKey, mbidKey, nameKey } from '../identity/lookup-keys.ts';
import { clusterLookup, type OwnerLookup, type OwnerResult, ownerLookup } from '../identity/read.ts';
import { bareName } from '../shared/name.ts';
import type { TasteItem } from './item.ts';

/** What an item was matched by, in order of precedence. */
export const MATCHED_BY = ['mbid', 'catalog', 'name', 'unverified_name'] as const;
type MatchedBy = (typeof MATCHED_BY)[number];

/** Raised by one whenever the same items and identities give other matches, so that all accounts are matched again. */
export const MATCHING_VERSION = 2;

export interface Match {
  readonly clusterId: string;
  readonly via: MatchedBy;
}

/** How items find artists. */
export interface MatchLookups {
  readonly owner: OwnerLookup;
  /** The cluster of a name, past the catalogue. */
  readonly cluster: OwnerLookup;
}

export const matchLookups = (pool: Pool): MatchLookups => ({
  owner: ownerLookup(pool),
  cluster: clusterLookup(pool),
});

/**
 * The cluster of an item, by MBID, then catalogue id, then exact name. The first that has a candidate decides. No match if
 * several candidates are equal or the artist has no cluster.
 */
export async function matchItem(item: TasteItem, lookups: MatchLookups): Promise<Match | null> {
  const { mbid, catalogArtistId } = item;
  const ids: (readonly [MatchedBy, string])[] = [
    ...(mbid === null ? [] : [['mbid', mbidKey(mbid)] as const]),
    ...(catalogArtistId === null ? [] : [['catalog', catalogKey(catalogArtistId)] as const]),
  ];
  for (const [via, key] of ids) {
    const found = await lookups.owner(key);
    if (isDecided(found)) return matchOf(found, via);
  }
  const named = await byName(item, lookups.owner);
  // No artist has an unknown name, and no cluster either.
  if (named === null || !isDecided(named)) return null;
  return matchOf(named, 'name') ?? matchOf(await byClusterName(item, lookups), 'unverified_name');
}

const isDecided = ({ identity, isAmbiguous }: OwnerResult): boolean => identity !== null || isAmbiguous;

function matchOf(found: OwnerResult | null, via: MatchedBy): Match | null {
  const clusterId = found?.identity?.clusterId ?? null;
  return clusterId === null ? null : { clusterId, via };
}

/**
 * Looks up the whole name, then "Name" of a numbered homonym "Name (2)". The number implies another artist of the bare
 * name, so an artist with another catalogue id does not match.
 */
async function byName(item: TasteItem, owner: OwnerLookup): Promise<OwnerResult | null> {
  const whole = await owner(nameKey(item.name));
  const bare = bareName(item.name);
  if (isDecided(whole) || bare === null) return whole;
  const found = await owner(nameKey(bare));
  return isAnother(item, found) ? null : found;
}

/**
 * The cluster of exactly this name, if the catalogue gives none: the catalogue may know the name only with numbers, as
 * "Oasis (2)", while the booking graph knows an "Oasis". Nothing verifies it.
 */
async function byClusterName(item: TasteItem, { cluster }: MatchLookups): Promise<OwnerResult | null> {
  if (bareName(item.name) !== null) return null;
  const found = await cluster(nameKey(item.name));
  return isAnother(item, found) ? null : found;
}

/** Whether the catalogue knows the found artist under another id than the item's. */
function isAnother({ catalogArtistId }: TasteItem, { identity }: OwnerResult): boolean {
  const catalog = identity === null ? null : readIdentity(identity).locators.catalog;
  return catalogArtistId !== null && catalog !== null && catalog !== catalogArtistId;
}
