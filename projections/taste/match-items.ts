import { readIdentity } from '../identity/answer.ts';
import { catalogAddress, mbidAddress, nameAddress } from '../identity/claims.ts';
import { bareName } from '../identity/name.ts';
import type { Found, OwnerLookup } from '../identity/read.ts';
import type { TasteItem } from './item.ts';

/** What an item was recognised by, the surest first. */
export const MATCHED_BY = ['mbid', 'catalog', 'name'] as const;
type MatchedBy = (typeof MATCHED_BY)[number];

export interface Match {
  readonly clusterId: string;
  readonly via: MatchedBy;
}

/**
 * The cluster that an item means: by its MBID, then its catalogue id, then its name to the letter. The first of them that
 * anybody has a claim to decides; where several have an equal claim, or the artist has no cluster, the item means none.
 */
export async function matchItem(item: TasteItem, owner: OwnerLookup): Promise<Match | null> {
  const { mbid, catalogArtistId } = item;
  const ids: (readonly [MatchedBy, string])[] = [
    ...(mbid === null ? [] : [['mbid', mbidAddress(mbid)] as const]),
    ...(catalogArtistId === null ? [] : [['catalog', catalogAddress(catalogArtistId)] as const]),
  ];
  for (const [via, address] of ids) {
    const found = await owner(address);
    if (isDecided(found)) return matchOf(found, via);
  }
  return matchOf(await byName(item, owner), 'name');
}

const isDecided = ({ identity, isAmbiguous }: Found): boolean => identity !== null || isAmbiguous;

function matchOf(found: Found | null, via: MatchedBy): Match | null {
  const clusterId = found?.identity?.clusterId ?? null;
  return clusterId === null ? null : { clusterId, via };
}

/**
 * A name as it stands, then "Name" of a numbered homonym "Name (2)". The number says that there is another of the bare
 * name, so that an artist whom the catalogue knows under another id is not the one meant.
 */
async function byName({ name, catalogArtistId }: TasteItem, owner: OwnerLookup): Promise<Found | null> {
  const whole = await owner(nameAddress(name));
  const bare = bareName(name);
  if (isDecided(whole) || bare === null) return whole;
  const found = await owner(nameAddress(bare));
  const catalog = found.identity === null ? null : readIdentity(found.identity).locators.catalog;
  const isAnother = catalogArtistId !== null && catalog !== null && catalog !== catalogArtistId;
  return isAnother ? null : found;
}
