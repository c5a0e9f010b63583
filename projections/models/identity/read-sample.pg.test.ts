import { beforeAll, expect, it } from 'vitest';
import { loadSample } from '../../../test/support/ingest/load-sample.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import type { LookupCandidate } from '../../engine/read-candidates.ts';
import { registerSources } from '../../engine/registry.ts';
import { identityProjection } from './project.ts';
import { ownerLookup, ownerOf } from './read.ts';

const { pool } = withDatabase('migrated');

beforeAll(async () => {
  const registry = await registerSources(pool);
  await loadSample(pool, registry, [...new Set(identityProjection.reads.map(({ source }) => source))]);
  await rebuild(pool, identityProjection, registry);
});

it('finds the owner of the equal candidates of every lookup key', async () => {
  const { rows } = await pool.query<LookupCandidate & { address: string }>(
    `select address, rank, key, convert_from(body, 'UTF8') as text
     from (select *, min(rank) over (partition by address) as least from read.identity_address) candidate
       join read.identity on id = document
     where rank = least`,
  );
  const equal = Map.groupBy(rows, ({ address }) => address);
  const keys = [...equal.keys()];
  const owner = ownerLookup(pool);
  const found = await Promise.all(keys.map(owner));
  const expected = keys.map((key) => ownerOf(equal.get(key) ?? []));
  expect(found).toEqual(expected);
  // Some have several documents as equal candidates, of one artist or of several.
  const shared = expected.filter((_, index) => (equal.get(keys[index] ?? '') ?? []).length > 1);
  expect(new Set(shared.map(({ isAmbiguous }) => isAmbiguous))).toEqual(new Set([true, false]));
});
