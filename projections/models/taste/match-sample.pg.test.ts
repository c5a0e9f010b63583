import { beforeAll, expect, it } from 'vitest';
import { loadSample } from '../../../test/support/ingest/load-sample.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { spineArtistNamePublishedView } from '../../contracts/spine/spine-artist-name-published-view.ts';
import { registerSources } from '../../engine/registry.ts';
import { identityProjection } from '../identity/project.ts';
import { matchItem, matchLookups } from './match-items.ts';

const { pool } = withDatabase('migrated');

beforeAll(async () => {
  const registry = await registerSources(pool);
  await loadSample(pool, registry, [...new Set(identityProjection.reads.map(({ source }) => source))]);
  await rebuild(pool, identityProjection, registry);
});

it('matches every published name of the sample to its cluster, also where the catalogue numbers the name', async () => {
  const { rows } = await pool.query<{ name: string; cluster: string }>(
    `select row->>'published_name' as name, row->>'cluster_id' as cluster
     from (select row::json as row from ingest.mirror where row is not null
       and source = (select id from ingest.source where name = $1)) published`,
    [spineArtistNamePublishedView.table],
  );
  const lookups = matchLookups(pool);
  const matches = await Promise.all(
    rows.map(async ({ name, cluster }) => {
      const match = await matchItem({ name, mbid: null, catalogArtistId: null }, lookups);
      return { name, cluster, match };
    }),
  );
  expect(matches.filter(({ match, cluster }) => match?.clusterId !== cluster)).toEqual([]);
  const unverified = matches.flatMap(({ name, match }) => (match?.via === 'unverified_name' ? name : []));
  expect(unverified).toEqual(expect.arrayContaining(['Oasis', 'Chicago']));
  expect([rows.length, unverified.length]).toEqual([2_249, 74]);
});
