import { isOfCatalogue } from '../../../projections/identity/answer.ts';
import { catalogAddress, clusterAddress } from '../../../projections/identity/claims.ts';
import type { Found } from '../../../projections/identity/read.ts';
import { splitRef } from '../../../projections/projection.ts';

/**
 * What whoever asked by an id has to be told; undefined where the id is the artist's own.
 *
 * @param address of the id, as identities are stored under
 */
export function idNote(
  by: 'cluster' | 'catalog' | 'mbid',
  address: string,
  found: Found,
): string | undefined {
  const { identity, isAmbiguous, isUnverified } = found;
  if (identity === null) {
    return isAmbiguous
      ? `Several artists have an equal claim to this ${by} id, so that none was chosen.`
      : `No artist has this ${by} id.`;
  }
  if (by === 'cluster' && address !== clusterAddress(identity.clusterId ?? ''))
    return 'The cluster was merged into the one that is answered.';
  if (by === 'catalog' && !isOfCatalogue(identity))
    return 'The catalogue holds no artist of this id; answered is the cluster that it is bound to.';
  if (by === 'catalog' && address !== catalogAddress(Number(splitRef(identity.key).value)))
    return 'The catalogue holds no artist of this id; answered is the one whose cluster it is known to belong to.';
  return isUnverified ? 'The id is filed under this artist, but not verified.' : undefined;
}
