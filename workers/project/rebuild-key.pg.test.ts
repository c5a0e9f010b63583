import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { documentId } from '../../projections/engine/store/document-id.ts';
import { documentTable, type Version, versionsOf } from '../../projections/engine/store/version.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { identityProjection } from '../../projections/models/identity/project.ts';
import {
  clusterOf,
  fillArtists,
  testArtistKey,
  testArtistName,
  testArtistSlug,
} from '../../test/support/projections/artists.ts';
import { type Documents, differingKeys, documentsOf } from '../../test/support/projections/documents.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { buildVersion } from './build-version.ts';
import { rebuildKey } from './rebuild-key.ts';

const BY_TEST = { actor: 'test', reason: null };

describe('rebuilding one entity', () => {
  const { pool } = withDatabase();
  let registry: Registry;
  let kept: Version[];
  let expected: Documents;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, 20);
    await rebuild(pool, identityProjection, registry);
    await rebuild(pool, artistProjection, registry);
    await buildVersion(pool, artistProjection, registry, { promote: true });
    await buildVersion(pool, artistProjection, registry);
    kept = await versionsOf(pool, 'artist');
    expected = await documentsOf(pool, kept[0] as Version);
  });

  const again = async (asked: string) =>
    (await rebuildKey(pool, artistProjection, registry, { name: asked, decision: BY_TEST })).map(
      ({ key, version, outcome }) => [key, version.state, outcome],
    );

  const everywhere = (number: number, outcome: string) =>
    ['previous', 'live', 'ready'].map((state) => [testArtistKey(number), state, outcome]);

  it.each([
    ['its key', testArtistKey(3)],
    ['its id', clusterOf(3)],
    ['its slug', testArtistSlug(3)],
    ['its slug in capitals', testArtistSlug(3).toUpperCase()],
  ])('is found by %s, and changes nothing if the document is correct', async (_name, asked) => {
    expect(await again(asked)).toEqual(everywhere(3, 'equal'));
  });

  it('repairs each version in which its document was wrong, missing or superfluous', async () => {
    const [previous, live, ready] = kept as [Version, Version, Version];
    await pool.query(`update ${documentTable(previous)} set hash = '\\x00', body = '\\x00' where key = $1`, [
      testArtistKey(4),
    ]);
    await pool.query(`delete from ${documentTable(live)} where key = $1`, [testArtistKey(4)]);
    expect(await again(testArtistSlug(4))).toEqual([
      [testArtistKey(4), 'previous', 'changed'],
      [testArtistKey(4), 'live', 'changed'],
      [testArtistKey(4), 'ready', 'equal'],
    ]);
    const ghost = clusterOf(4_711);
    await pool.query(`insert into ${documentTable(ready)} values ($1, $2, '\\x00', '\\x00')`, [
      documentId(`artist:${ghost}`),
      `artist:${ghost}`,
    ]);
    expect((await again(ghost)).map(([, , outcome]) => outcome)).toEqual(['equal', 'equal', 'removed']);
    for (const version of kept) expect(differingKeys(await documentsOf(pool, version), expected)).toEqual([]);
  });

  it('finds an entity whose document is missing in every version', async () => {
    for (const version of kept)
      await pool.query(`delete from ${documentTable(version)} where key = $1`, [testArtistKey(5)]);
    expect(await again(testArtistKey(5))).toEqual(everywhere(5, 'changed'));
  });

  it('finds an entity by name if names are lookup keys', async () => {
    const [rebuilt] = await rebuildKey(pool, identityProjection, registry, {
      name: `name:${testArtistName(6, 0).toLowerCase()}`,
      decision: BY_TEST,
    });
    expect(rebuilt).toMatchObject({ key: testArtistKey(6), outcome: 'equal' });
  });

  it('rejects an unknown name and records nothing', async () => {
    const before = await pool.query('select count(*) from operation.audit');
    await expect(again('nobody')).rejects.toThrow('artist has no document for "nobody"');
    expect((await pool.query('select count(*) from operation.audit')).rows).toEqual(before.rows);
  });

  it('records the operator', async () => {
    await again(testArtistKey(3));
    const { rows } = await pool.query(
      `select actor, action, target, detail from operation.audit order by id desc limit 1`,
    );
    expect(rows).toEqual([
      {
        actor: 'test',
        action: 'rebuild key',
        target: `artist ${testArtistKey(3)}`,
        detail: Object.fromEntries(kept.map(({ id }) => [id, 'equal'])),
      },
    ]);
  });

  it('fails if all versions are of other code', async () => {
    await pool.query(`update projection.version set code_version = 'other' where projection = 'artist'`);
    await expect(again(testArtistKey(3))).rejects.toThrow('no version of artist was built by this code');
  });
});
