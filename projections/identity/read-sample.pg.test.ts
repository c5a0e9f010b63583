import { beforeAll, expect, it } from 'vitest';
import { loadSample } from '../../test/load-sample.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import type { Claim } from '../read-claims.ts';
import { registerSources } from '../registry.ts';
import { identityProjection } from './project.ts';
import { ownerLookup, ownerOf } from './read.ts';

const { pool } = withDatabase('migrated');

beforeAll(async () => {
  const registry = await registerSources(pool);
  await loadSample(pool, registry, [...new Set(identityProjection.reads.map(({ source }) => source))]);
  await rebuild(pool, identityProjection, registry);
});

it('finds for every address whom all of the equal claims to it come to, read one by one', async () => {
  const { rows } = await pool.query<Claim & { address: string }>(
    `select address, rank, key, convert_from(body, 'UTF8') as text
     from (select *, min(rank) over (partition by address) as least from read.identity_address) claim
       join read.identity on id = document
     where rank = least`,
  );
  const equal = Map.groupBy(rows, ({ address }) => address);
  const addresses = [...equal.keys()];
  const owner = ownerLookup(pool);
  const found = await Promise.all(addresses.map(owner));
  const expected = addresses.map((address) => ownerOf(equal.get(address) ?? []));
  expect(found).toEqual(expected);
  // Several documents have equal claims to some of them, of one artist and of several.
  const shared = expected.filter((_, index) => (equal.get(addresses[index] ?? '') ?? []).length > 1);
  expect(new Set(shared.map(({ isAmbiguous }) => isAmbiguous))).toEqual(new Set([true, false]));
});
