import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { artistProjection } from '../../../projections/artist/project.ts';
import { registerSources } from '../../../projections/registry.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import { catalogArtist } from '../../../projections/sources/catalog/artist.ts';
import { artistIdentityBridge } from '../../../projections/sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/sources/seen/performing-entity.ts';
import { createVersion } from '../../../projections/store/create-version.ts';
import { artistKey, clusterOf } from '../../../test/artists.ts';
import { fillMirror } from '../../../test/fill-mirror.ts';
import { rowsOf } from '../../../test/rows/source-rows.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { planRanges, takeRange } from './ranges.ts';

const BOUND = 600;
const UNBOUND = 50;
/** Ids in another order than that of the clusters. */
const catalogIdOf = (number: number): number => 1 + ((number * 7_919) % 100_003);
const catalogKey = (number: number): SubjectRef => `catalog-artist:${catalogIdOf(number)}`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

const { pool } = withDatabase();
const ranges: SubjectRef[][] = [];

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [
    rowsOf(
      catalogArtist,
      ...numbers(BOUND + UNBOUND).map((number) => ({ catalog_artist_id: catalogIdOf(number) })),
    ),
    rowsOf(
      performingEntity,
      ...numbers(BOUND).map((number) => ({ cluster_id: clusterOf(number), slug: `artist-${number}` })),
    ),
    rowsOf(
      artistIdentityBridge,
      ...numbers(BOUND).map((number) => ({
        cluster_id: clusterOf(number),
        catalog_artist_id: catalogIdOf(number),
      })),
    ),
  ]);
  const version = await createVersion(pool, artistProjection, 'test');
  if (version === null) throw new Error('somebody else is building');
  expect(await planRanges(pool, artistProjection, version, registry)).toBe(2 * BOUND + UNBOUND);
  await transaction(pool, async (client) => {
    for (let range = await takeRange(client, version); range !== null; ) {
      ranges.push(range);
      range = await takeRange(client, version);
    }
  });
});

it('names every document once', () => {
  expect(ranges.flat().toSorted()).toEqual(
    [...numbers(BOUND).map(artistKey), ...numbers(BOUND + UNBOUND).map(catalogKey)].toSorted(),
  );
});

it('keeps the two documents of an artist together, but where a range is full between them', () => {
  const placeOf = new Map(ranges.flatMap((keys, range) => keys.map((key) => [key, range] as const)));
  const apart = numbers(BOUND).filter(
    (number) => placeOf.get(artistKey(number)) !== placeOf.get(catalogKey(number)),
  );
  expect(apart.length).toBeLessThan(ranges.length);
});
