import { beforeAll, describe, expect, it } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { identityProjection } from '../../projections/identity/project.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { documentId } from '../../projections/store/document-id.ts';
import { documentTable, type Version, versionsOf } from '../../projections/store/version.ts';
import { artistKey, clusterOf, fillArtists, nameOf, slugOf } from '../../test/artists.ts';
import { type Documents, differingKeys, documentsOf } from '../../test/documents.ts';
import { withDatabase } from '../../test/services/database.ts';
import { buildVersion, rebuild } from './build-version.ts';
import { rebuildKey } from './rebuild-key.ts';

const BY_TEST = { actor: 'test', reason: null };

describe('one entity rebuilt', () => {
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
    (await rebuildKey(pool, artistProjection, registry, asked, BY_TEST)).map(({ key, version, outcome }) => [
      key,
      version.state,
      outcome,
    ]);

  const everywhere = (number: number, outcome: string) =>
    ['previous', 'live', 'ready'].map((state) => [artistKey(number), state, outcome]);

  it.each([
    ['its key', artistKey(3)],
    ['its id', clusterOf(3)],
    ['its slug', slugOf(3)],
    ['its slug in capitals', slugOf(3).toUpperCase()],
  ])('is found by %s, and is equal where nothing is wrong', async (_name, asked) => {
    expect(await again(asked)).toEqual(everywhere(3, 'equal'));
  });

  it('is mended in every version where it was wrong, missing or should not be', async () => {
    const [previous, live, ready] = kept as [Version, Version, Version];
    await pool.query(`update ${documentTable(previous)} set hash = '\\x00', body = '\\x00' where key = $1`, [
      artistKey(4),
    ]);
    await pool.query(`delete from ${documentTable(live)} where key = $1`, [artistKey(4)]);
    expect(await again(slugOf(4))).toEqual([
      [artistKey(4), 'previous', 'changed'],
      [artistKey(4), 'live', 'changed'],
      [artistKey(4), 'ready', 'equal'],
    ]);
    const ghost = clusterOf(4_711);
    await pool.query(`insert into ${documentTable(ready)} values ($1, $2, '\\x00', '\\x00')`, [
      documentId(`artist:${ghost}`),
      `artist:${ghost}`,
    ]);
    expect((await again(ghost)).map(([, , outcome]) => outcome)).toEqual(['equal', 'equal', 'removed']);
    for (const version of kept) expect(differingKeys(await documentsOf(pool, version), expected)).toEqual([]);
  });

  it('is found although its document is missing everywhere', async () => {
    for (const version of kept)
      await pool.query(`delete from ${documentTable(version)} where key = $1`, [artistKey(5)]);
    expect(await again(artistKey(5))).toEqual(everywhere(5, 'changed'));
  });

  it('is found by a name where names are addresses', async () => {
    const [rebuilt] = await rebuildKey(
      pool,
      identityProjection,
      registry,
      `name:${nameOf(6, 0).toLowerCase()}`,
      BY_TEST,
    );
    expect(rebuilt).toMatchObject({ key: artistKey(6), outcome: 'equal' });
  });

  it('is refused where nothing is known by it, and leaves no trace', async () => {
    const before = await pool.query('select count(*) from operation.audit');
    await expect(again('nobody')).rejects.toThrow('artist knows nothing by "nobody"');
    expect((await pool.query('select count(*) from operation.audit')).rows).toEqual(before.rows);
  });

  it('is on record', async () => {
    await again(artistKey(3));
    const { rows } = await pool.query(
      `select actor, action, target, detail from operation.audit order by id desc limit 1`,
    );
    expect(rows).toEqual([
      {
        actor: 'test',
        action: 'rebuild key',
        target: `artist ${artistKey(3)}`,
        detail: Object.fromEntries(kept.map(({ id }) => [id, 'equal'])),
      },
    ]);
  });

  it('is refused where all versions are of other code', async () => {
    await pool.query(`update projection.version set fingerprint = 'other' where projection = 'artist'`);
    await expect(again(artistKey(3))).rejects.toThrow('no version of artist was made by this code');
  });
});
