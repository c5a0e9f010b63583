import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { artistProjection } from '../../../projections/artist/project.ts';
import { registerSources } from '../../../projections/registry.ts';
import { ALL_BUCKETS, markDirty } from '../../../projections/store/mark.ts';
import { addressTable, documentTable, type Version } from '../../../projections/store/version.ts';
import { artistKey, artistProducer, fillArtists, nameOf } from '../../../test/artists.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { buildVersion, rebuild } from '../build-version.ts';
import { drainBuckets } from '../drain-buckets.ts';
import { type Comparison, compareVersions } from './compare-versions.ts';

const ARTISTS = 20;
const { pool } = withDatabase();
let live: Version;
let ready: Version;
let report: Comparison;

/** What other code might have made of the same rows: renamed, moved, left out and added. */
beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillArtists(pool, registry, ARTISTS);
  live = await rebuild(pool, artistProjection, registry);
  ({ version: ready } = await buildVersion(pool, artistProjection, registry));
  const producer = artistProducer(pool, registry);
  await producer.revise([3, 4, 5, 6], 1);
  await pool.query('delete from projection.mark where version = $1', [live.id]);
  await drainBuckets(pool, artistProjection, [ready], ALL_BUCKETS, registry, { rows: 100, documents: 100 });
  const gone = [artistKey(7), artistKey(8)];
  await pool.query(`delete from ${documentTable(ready)} where key = any($1)`, [gone]);
  await pool.query(`delete from ${documentTable(live)} where key = $1`, [artistKey(9)]);
  await pool.query(`update ${documentTable(ready)} set hash = '\\x00' where key = $1`, [artistKey(10)]);
  await pool.query(
    `update ${addressTable(ready)} set address = 'elsewhere' where document = projection.document_id($1)`,
    [artistKey(10)],
  );
  await transaction(pool, (client) =>
    markDirty(client, [
      { versions: [live], keys: new Set([artistKey(6)]) },
      { versions: [ready], keys: new Set([artistKey(11)]) },
    ]),
  );
  report = await compareVersions(pool, live, ready);
});

it('counts what is equal, changed, added, gone and on the move', () => {
  expect(report).toMatchObject({
    against: live.id,
    equal: ARTISTS - 8,
    changed: 4,
    added: 1,
    gone: 2,
    moving: 1,
    examined: 4,
    addedKeys: [artistKey(9)],
    goneKeys: [artistKey(7), artistKey(8)],
  });
});

it('tells the fields that differ, the most frequent first, with both values', () => {
  const paths = report.fields.map(({ path, documents }) => [path, documents]);
  expect(paths).toContainEqual(['$.display', 3]);
  expect(paths).toContainEqual(['$.identity.name', 3]);
  expect(paths).toContainEqual(['$["(addresses)"][*]', 1]);
  expect(paths.map(([, documents]) => documents)).toEqual(
    paths.map(([, documents]) => Number(documents)).toSorted((a, b) => b - a),
  );
  const display = report.fields.find(({ path }) => path === '$.display');
  expect(display?.samples.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
    [3, 4, 5].map((number) => ({
      key: artistKey(number),
      path: '$.display',
      before: JSON.stringify(nameOf(number, 0)),
      after: JSON.stringify(nameOf(number, 1)),
    })),
  );
  const addresses = report.fields.find(({ path }) => path.startsWith('$["(addresses)"]'));
  expect(addresses?.samples).toEqual([
    {
      key: artistKey(10),
      path: '$["(addresses)"][0]',
      before: '"artist-10 1 1"',
      after: '"elsewhere 1 1"',
    },
  ]);
});
