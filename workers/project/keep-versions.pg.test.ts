import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { LOCKS } from '../../db/locks.ts';
import { artistProjection } from '../../projections/artist/project.ts';
import { projections } from '../../projections/index.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { createVersion } from '../../projections/store/create-version.ts';
import { type Version, versionsOf } from '../../projections/store/version.ts';
import { fillArtists } from '../../test/artists.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from './build-version.ts';
import type { RebuildMode } from './decide-build.ts';
import { keepVersions } from './keep-versions.ts';
import { promoteVersion, rollBack } from './switch-version.ts';

const BY_TEST = { actor: 'test', reason: null };

describe('a projector that starts', () => {
  const { pool, url } = withDatabase();
  let registry: Registry;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await fillArtists(pool, registry, 1_200);
    for (const projection of projections) await rebuild(pool, projection, registry);
  });

  beforeEach(async () => {
    await rebuild(pool, artistProjection, registry);
  });

  /** What a projector does before it has nothing more to do, and what it logs. */
  async function start(mode: RebuildMode, signal = new AbortController().signal): Promise<string[]> {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
    const own = connect(url, 'build', { max: 4 });
    await keepVersions(own, registry, { mode, log, signal });
    await own.end();
    return lines;
  }

  const deployOtherCode = () =>
    pool.query(`update projection.version set fingerprint = 'other' where projection = 'artist'`);

  const states = async () =>
    (await versionsOf(pool, 'artist')).map(({ state, fingerprint }) =>
      fingerprint === 'other' ? `${state}, other` : state,
    );

  it('does nothing where all documents are of its code', async () => {
    expect(await start('promote')).toEqual([]);
    expect(await states()).toEqual(['live']);
  });

  it('builds and promotes documents of its code, together with others that start', async () => {
    await deployOtherCode();
    const live = (await versionsOf(pool, 'artist')).at(-1);
    await Promise.all([start('promote'), start('promote'), start('promote')]);
    expect(await states()).toEqual(['previous, other', 'live']);
    const { rows } = await pool.query(
      `select count(distinct detail -> 'version')::int4 as built from operation.audit
       where action = 'rebuild' and (detail -> 'version')::int4 > $1`,
      [live?.id],
    );
    expect(rows).toEqual([{ built: 1 }]);
    expect(await start('promote')).toEqual([]);
  });

  it('builds what is missing altogether', async () => {
    await pool.query(`
      drop view read.artist, read.artist_address;
      update projection.version set state = 'retired' where projection = 'artist';`);
    await start('off');
    expect(await states()).toEqual(['live']);
  });

  it('leaves promoting to an operator who wants it so', async () => {
    await deployOtherCode();
    expect(await start('build')).toContain('built, and waits to be promoted');
    expect(await states()).toEqual(['live, other', 'ready']);
    const [, ready] = await versionsOf(pool, 'artist');
    const word = [`version ${ready?.id} of artist is ready and waits: promote artist`];
    expect(await start('build')).toEqual(word);
    expect(await start('promote')).toEqual(word);
    expect(await states()).toEqual(['live, other', 'ready']);
  });

  it('does not fight an operator who rolled back', async () => {
    await deployOtherCode();
    await start('promote');
    await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(await start('promote')).toEqual([
      'artist was rolled back to documents of other code; to go on with those of this: rollback artist',
    ]);
    expect(await states()).toEqual(['live, other', 'previous']);
  });

  it('says so only, where it is told to', async () => {
    await deployOtherCode();
    expect(await start('off')).toEqual([
      'artist is served from documents of other code, which nothing renews: rebuild artist --promote',
    ]);
    expect(await states()).toEqual(['live, other']);
  });

  it('promotes what was built for that and then killed', async () => {
    await deployOtherCode();
    await start('build');
    await pool.query(`update projection.version set promote_when_ready = true where state = 'ready'`);
    expect(await start('promote')).toContain('built and promoted');
    expect(await states()).toEqual(['previous, other', 'live']);
  });

  it('waits while yet other code builds, until it is told to end', async () => {
    await deployOtherCode();
    const other = (await createVersion(pool, artistProjection, 'other')) as Version;
    const builder = await pool.connect();
    await builder.query('select pg_advisory_lock_shared($1, $2)', [LOCKS.build, other.id]);
    const ending = new AbortController();
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
    const keeping = keepVersions(pool, registry, { mode: 'promote', log, signal: ending.signal });
    await expect.poll(() => lines, { timeout: 30_000 }).toContain('waiting for another build');
    ending.abort();
    await keeping;
    expect(await states()).toEqual(['live, other', 'building, other']);
    builder.release(true);
    expect(await start('promote')).toContain('built and promoted');
    expect(await states()).toEqual(['previous, other', 'live']);
    await expect(promoteVersion(pool, artistProjection, registry, other.id, BY_TEST)).rejects.toThrow('gone');
  });
});
