import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { ALL_BUCKETS, markDirty } from '../../../projections/engine/store/mark.ts';
import { documentTable, lookupTable, type Version } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import {
  artistProducer,
  fillArtists,
  testArtistKey,
  testArtistName,
} from '../../../test/support/projections/artists.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { buildVersion } from '../build-version.ts';
import { projectBatch } from '../project-batch.ts';
import { compareVersions, type VersionComparison } from './compare-versions.ts';

const ARTISTS = 20;
const { pool } = withDatabase();
let live: Version;
let ready: Version;
let report: VersionComparison;

/** Documents that other code could build from the same rows: renamed, moved, left out and added. */
beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillArtists(pool, registry, ARTISTS);
  live = await rebuild(pool, artistProjection, registry);
  ({ version: ready } = await buildVersion(pool, artistProjection, registry));
  const producer = artistProducer(pool, registry);
  await producer.revise([3, 4, 5, 6], 1);
  await pool.query('delete from projection.mark where version = $1', [live.id]);
  await projectBatch(
    pool,
    { projection: artistProjection, versions: [ready], buckets: ALL_BUCKETS },
    registry,
  );
  const gone = [testArtistKey(7), testArtistKey(8)];
  await pool.query(`delete from ${documentTable(ready)} where key = any($1)`, [gone]);
  await pool.query(`delete from ${documentTable(live)} where key = $1`, [testArtistKey(9)]);
  await pool.query(`update ${documentTable(ready)} set hash = '\\x00' where key = $1`, [testArtistKey(10)]);
  await pool.query(
    `update ${lookupTable(ready)} set address = 'elsewhere' where document = projection.document_id($1)`,
    [testArtistKey(10)],
  );
  await transaction(pool, (client) =>
    markDirty(client, [
      { versions: [live], keys: new Set([testArtistKey(6)]) },
      { versions: [ready], keys: new Set([testArtistKey(11)]) },
    ]),
  );
  report = await compareVersions(pool, live, ready);
});

it('counts equal, changed, added, removed and moved documents', () => {
  expect(report).toMatchObject({
    against: live.id,
    equal: ARTISTS - 8,
    changed: 4,
    added: 1,
    gone: 2,
    moving: 1,
    examined: 4,
    addedKeys: [testArtistKey(9)],
    goneKeys: [testArtistKey(7), testArtistKey(8)],
  });
});

it('lists the fields that differ, the most frequent first, with both values', () => {
  const paths = report.fields.map(({ path, documents }) => [path, documents]);
  expect(paths).toContainEqual(['$.display', 3]);
  expect(paths).toContainEqual(['$.identity.name', 3]);
  expect(paths).toContainEqual(['$["(lookup keys)"][*]', 1]);
  expect(paths.map(([, documents]) => documents)).toEqual(
    paths.map(([, documents]) => Number(documents)).toSorted((a, b) => b - a),
  );
  const display = report.fields.find(({ path }) => path === '$.display');
  expect(display?.samples.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
    [3, 4, 5].map((number) => ({
      key: testArtistKey(number),
      path: '$.display',
      before: JSON.stringify(testArtistName(number, 0)),
      after: JSON.stringify(testArtistName(number, 1)),
    })),
  );
  const addresses = report.fields.find(({ path }) => path.startsWith('$["(lookup keys)"]'));
  expect(addresses?.samples).toEqual([
    {
      key: testArtistKey(10),
      path: '$["(lookup keys)"][0]',
      before: '"artist-10 1 1"',
      after: '"elsewhere 1 1"',
    },
  ]);
});
