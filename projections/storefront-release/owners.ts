import { boundCatalogRefs, boundCluster } from '../artist/lanes.ts';
import { type ReadRows, splitRef } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';

/** For each cluster the artists in whose name its releases are asked for: itself, and who is bound to it. */
export type Owners = ReadonlyMap<SubjectRef, readonly SubjectRef[]>;

/**
 * A bridge that names a catalogue artist does not bind it yet: another one may name it with a better claim. So the
 * bridges of the clusters are read first, then all that name one of their catalogue artists.
 */
export async function readOwners(clusters: readonly SubjectRef[], readRows: ReadRows): Promise<Owners> {
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
