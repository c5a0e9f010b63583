import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { type Read, type ReadRows, splitRef, subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { boundCluster } from './lanes.ts';

/** The bridges that name a catalogue artist. */
export const BINDINGS: readonly Read[] = [{ source: artistIdentityBridge, by: ['catalog-artist'] }];

const isCatalogKey = (key: SubjectRef): boolean => splitRef(key).kind === 'catalog-artist';

/** The rows of artists in either lane; for a catalogue artist including those of its bound cluster. */
export async function readLanes(
  reads: readonly Read[],
  keys: readonly SubjectRef[],
  readRows: ReadRows,
): Promise<MirrorRows> {
  const catalogKeys = keys.filter(isCatalogKey);
  const bridges = await readRows(BINDINGS, catalogKeys);
  const clusters = catalogKeys.flatMap((key) => {
    const cluster = boundCluster(bridges, key);
    return cluster === null ? [] : [subjectRef('artist', cluster)];
  });
  return readRows(reads, [...keys, ...clusters]);
}

/** A catalogue artist needs its catalogue row, a cluster any row. */
export const isKnownArtist = (reads: readonly Read[], key: SubjectRef, rows: MirrorRows): boolean =>
  isCatalogKey(key)
    ? rows.one(catalogArtist, key) !== null
    : reads.some(({ source, by }) => by.includes('artist') && rows.one(source, key) !== null);
