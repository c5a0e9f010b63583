import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { createVersion } from '../../../projections/engine/store/create-version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { fillMirror } from '../../../test/support/ingest/fill-mirror.ts';
import { clusterOf, testArtistKey } from '../../../test/support/projections/artists.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { claimRange, planRanges } from './ranges.ts';

const BOUND = 600;
const UNBOUND = 50;
/** Ids in a different order from the clusters. */
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
  const version = await createVersion(pool, artistProjection, { codeVersion: 'test' });
  if (version === null) throw new Error('another builder is running');
  expect(await planRanges(pool, { projection: artistProjection, version, registry })).toBe(
    2 * BOUND + UNBOUND,
  );
  await transaction(pool, async (client) => {
    for (let range = await claimRange(client, version); range !== null; ) {
      ranges.push(range);
      range = await claimRange(client, version);
    }
  });
});

it('contains every document once', () => {
  expect(ranges.flat().toSorted()).toEqual(
    [...numbers(BOUND).map(testArtistKey), ...numbers(BOUND + UNBOUND).map(catalogKey)].toSorted(),
  );
});

it('keeps the two documents of an artist in one range, except at its end', () => {
  const placeOf = new Map(ranges.flatMap((keys, range) => keys.map((key) => [key, range] as const)));
  const apart = numbers(BOUND).filter(
    (number) => placeOf.get(testArtistKey(number)) !== placeOf.get(catalogKey(number)),
  );
  expect(apart.length).toBeLessThan(ranges.length);
});
