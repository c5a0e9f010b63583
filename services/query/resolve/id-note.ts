import { splitRef } from '../../../projections/engine/projection.ts';
import {
  isCatalogIdentity,
  readIdentity,
  type StoredIdentity,
} from '../../../projections/models/identity/identity.ts';
import { catalogKey, clusterKey, mbidKey } from '../../../projections/models/identity/lookup-keys.ts';
import type { OwnerLookup, OwnerResult } from '../../../projections/models/identity/read.ts';

interface IdLookup {
  readonly by: 'cluster' | 'catalog' | 'mbid';
  /** Of the id. */
  readonly lookupKey: string;
  readonly found: OwnerResult;
  readonly owner: OwnerLookup;
}

const NOT_VERIFIED = 'The id is recorded for this artist but not verified.';

/** The note of a lookup by id; undefined if the id is the artist's own. */
export async function idNote({ by, lookupKey, found, owner }: IdLookup): Promise<string | undefined> {
  const { identity, isAmbiguous, isUnverified } = found;
  if (identity === null) {
    return isAmbiguous
      ? `Several artists match this ${by} id equally well, so none was chosen.`
      : `No artist has this ${by} id.`;
  }
  if (by === 'cluster' && lookupKey !== clusterKey(identity.clusterId ?? ''))
    return 'The requested cluster was merged into this one.';
  if (by === 'catalog' && !isCatalogIdentity(identity))
    return 'The catalogue has no artist with this id; this is the cluster that the id is bound to.';
  if (by === 'catalog' && lookupKey !== catalogKey(Number(splitRef(identity.key).value)))
    return 'The catalogue has no artist with this id; this is the artist whose cluster the id belongs to.';
  if (!isUnverified) return undefined;
  const rival = by === 'mbid' ? await rivalMbid(identity, lookupKey, owner) : null;
  return rival === null ? NOT_VERIFIED : `${NOT_VERIFIED} Neither is its other mbid, ${rival}.`;
}

/** The mbid of the artist if it is another one, and not verified either. */
async function rivalMbid(
  identity: StoredIdentity,
  lookupKey: string,
  owner: OwnerLookup,
): Promise<string | null> {
  const { mbid } = readIdentity(identity).locators;
  if (mbid === null || mbidKey(mbid) === lookupKey) return null;
  const { isUnverified, isAmbiguous } = await owner(mbidKey(mbid));
  return isUnverified || isAmbiguous ? mbid : null;
}
