import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCKS } from '../../../db/locks.ts';
import { artistProducer, fillArtists } from '../../../test/support/projections/artists.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { lockWaiters } from '../../../test/support/services/lock-waiters.ts';
import { buildVersion } from '../../../workers/project/build-version.ts';
import { artistProjection } from '../../models/artist/project.ts';
import { type Registry, registerSources } from '../registry.ts';
import { retireVersions, sweepRetired } from './retire.ts';
import { countMarks, documentTable, type Version, versionsOf } from './version.ts';

const HOUR_MS = 3_600_000;
const soon = (): Date => new Date(Date.now() + HOUR_MS);
const longAgo = (): Date => new Date(Date.now() - HOUR_MS);

describe('a previous version', () => {
  const { pool } = withDatabase();
  let registry: Registry;
  let previous: Version;
  let live: Version;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, 10);
  });

  beforeEach(async () => {
    await rebuild(pool, artistProjection, registry);
    await buildVersion(pool, artistProjection, registry, { promote: true });
    [previous, live] = (await versionsOf(pool, 'artist')) as [Version, Version];
  });

  async function isThere(version: Version): Promise<boolean> {
    const { rows } = await pool.query<{ count: number }>(
      `select (select count(*) from projection.version where id = $1)::int4
         + (to_regclass($2) is not null)::int4 + (to_regclass($2 || '_address') is not null)::int4 as count`,
      [version.id, documentTable(version)],
    );
    return rows[0]?.count !== 0;
  }

  const mark = (version: Version, keys: number) =>
    pool.query(
      `insert into projection.mark (version, bucket, keys)
       select $1, 0, array(select 'artist:' || n from generate_series(1, 32) n) from generate_series(1, $2::int4 / 32)`,
      [version.id, keys],
    );

  it('stays while it is recent and close to the live one', async () => {
    await mark(previous, 64_000);
    expect(await retireVersions(pool, { olderThan: longAgo() })).toEqual([]);
    expect((await versionsOf(pool, 'artist')).map(({ id }) => id)).toEqual([previous.id, live.id]);
  });

  it('is dropped long after it was replaced, with tables and dirty marks', async () => {
    await artistProducer(pool, registry).revise([1, 2], 1);
    const dropped = await retireVersions(pool, { olderThan: soon() });
    expect(dropped.map(({ id }) => id)).toEqual([previous.id]);
    expect(await isThere(previous)).toBe(false);
    expect(await countMarks(pool, previous)).toBe(0);
    expect(await countMarks(pool, live)).toBe(2);
    await pool.query('delete from ingest.position');
  });

  it('is dropped when its backlog exceeds its size', async () => {
    await mark(previous, 128_000);
    await mark(live, 128_000);
    expect(await retireVersions(pool, { olderThan: longAgo() })).toEqual([]);
    await pool.query('delete from projection.mark where version = $1', [live.id]);
    expect(await retireVersions(pool, { olderThan: longAgo() })).toHaveLength(1);
    expect(await isThere(previous)).toBe(false);
  });

  it('with an open reader is left for the next sweep', async () => {
    const reader = await pool.connect();
    await reader.query('begin');
    await reader.query(`select from ${documentTable(previous)} limit 1`);
    expect(await retireVersions(pool, { olderThan: soon() })).toEqual([]);
    expect(await isThere(previous)).toBe(true);
    expect((await versionsOf(pool, 'artist')).map(({ id }) => id)).toEqual([live.id]);
    await reader.query('commit');
    reader.release();
    expect((await sweepRetired(pool)).map(({ id }) => id)).toEqual([previous.id]);
    expect(await isThere(previous)).toBe(false);
  });

  it('is dropped once no batch can mark it dirty', async () => {
    const batch = await pool.connect();
    await batch.query('begin');
    await batch.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.versions]);
    const retiring = retireVersions(pool, { olderThan: soon() });
    await expect.poll(() => lockWaiters(pool)).toBe(1);
    await batch.query(`insert into projection.mark (version, bucket, keys) values ($1, 0, '{artist:1}')`, [
      previous.id,
    ]);
    await batch.query('commit');
    batch.release();
    expect(await retiring).toHaveLength(1);
    expect(await countMarks(pool, previous)).toBe(0);
  });
});
