import { beforeAll, describe, expect, it } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { artistProjection } from '../../projections/artist/project.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { createVersion, documentTable, liveVersion } from '../../projections/store/version.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from './build-version.ts';

describe('a rebuild', () => {
  const { pool } = withDatabase();
  let registry: Registry;

  beforeAll(async () => {
    registry = await registerSources(pool);
  });

  async function tables(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'read' order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  it('replaces the version that is served and leaves nothing of the old one', async () => {
    const first = await rebuild(pool, artistProjection, registry, 'a');
    const second = await rebuild(pool, artistProjection, registry, 'b');
    expect(await liveVersion(pool, 'artist')).toMatchObject({
      id: second.id,
      state: 'live',
      fingerprint: 'b',
    });
    expect(first.id).not.toBe(second.id);
    expect(await tables()).toEqual([`artist_${second.id}`, `artist_${second.id}_address`]);
  });

  it('removes what a build that broke off has left', async () => {
    const broken = await createVersion(pool, 'artist', 'broken');
    await pool.query(`create table ${documentTable(broken)}_plan (key text primary key)`);
    const live = await rebuild(pool, artistProjection, registry, 'c');
    expect(await tables()).toEqual([`artist_${live.id}`, `artist_${live.id}_address`]);
    const { rows } = await pool.query('select id from projection.version');
    expect(rows).toEqual([{ id: live.id }]);
  });

  it('refuses to run beside another one of the same projection', async () => {
    const other = await pool.connect();
    await other.query('select pg_advisory_lock($1, hashtext($2))', [LOCKS.build, 'artist']);
    await expect(rebuild(pool, artistProjection, registry, 'd')).rejects.toThrow(
      'artist is being built by another process',
    );
    await other.query('select pg_advisory_unlock_all()');
    other.release();
    const live = await rebuild(pool, artistProjection, registry, 'f');
    expect(await tables()).toEqual([`artist_${live.id}`, `artist_${live.id}_address`]);
  });
});
