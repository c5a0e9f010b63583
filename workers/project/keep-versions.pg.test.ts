import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { LOCKS } from '../../db/locks.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { createVersion } from '../../projections/engine/store/create-version.ts';
import { type Version, versionsOf } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillArtists } from '../../test/support/projections/artists.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import type { RebuildMode } from './decide-build.ts';
import { keepVersions } from './keep-versions.ts';
import { promoteVersion, rollBack } from './switch-version.ts';

const BY_TEST = { actor: 'test', reason: null };

describe('a starting projector', () => {
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

  /** Runs a starting projector to its end and returns its log lines. */
  async function start(mode: RebuildMode, signal = new AbortController().signal): Promise<string[]> {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
    const own = connect(url, 'build', { max: 4 });
    await keepVersions(own, registry, { mode, log, signal });
    await own.end();
    return lines;
  }

  const deployOtherCode = () =>
    pool.query(`update projection.version set code_version = 'other' where projection = 'artist'`);

  const states = async () =>
    (await versionsOf(pool, 'artist')).map(({ state, codeVersion }) =>
      codeVersion === 'other' ? `${state}, other` : state,
    );

  it('does nothing if all documents are of its code', async () => {
    expect(await start('promote')).toEqual([]);
    expect(await states()).toEqual(['live']);
  });

  it('builds and promotes documents of its code, together with other starting projectors', async () => {
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

  it('builds missing versions', async () => {
    await pool.query(`
      drop view read.artist, read.artist_address;
      update projection.version set state = 'retired' where projection = 'artist';`);
    await start('off');
    expect(await states()).toEqual(['live']);
  });

  it('leaves promotion to the operator with REBUILD=build', async () => {
    await deployOtherCode();
    expect(await start('build')).toContain('built; waiting for promotion');
    expect(await states()).toEqual(['live, other', 'ready']);
    const [, ready] = await versionsOf(pool, 'artist');
    const word = [`version ${ready?.id} of artist is ready and waits for promotion: promote artist`];
    expect(await start('build')).toEqual(word);
    expect(await start('promote')).toEqual(word);
    expect(await states()).toEqual(['live, other', 'ready']);
  });

  it('does not promote again after a rollback', async () => {
    await deployOtherCode();
    await start('promote');
    await rollBack(pool, artistProjection, registry, BY_TEST);
    expect(await start('promote')).toEqual([
      'artist was rolled back to documents of other code; to return to those of this code: rollback artist',
    ]);
    expect(await states()).toEqual(['live, other', 'previous']);
  });

  it('only logs with REBUILD=off', async () => {
    await deployOtherCode();
    expect(await start('off')).toEqual([
      'artist is served from documents of other code, which no projector keeps current: rebuild artist --promote',
    ]);
    expect(await states()).toEqual(['live, other']);
  });

  it('promotes a version whose builder was killed', async () => {
    await deployOtherCode();
    await start('build');
    await pool.query(`update projection.version set promote_when_ready = true where state = 'ready'`);
    expect(await start('promote')).toContain('built and promoted');
    expect(await states()).toEqual(['previous, other', 'live']);
  });

  it('waits while other code builds, until it is stopped', async () => {
    await deployOtherCode();
    const other = (await createVersion(pool, artistProjection, { codeVersion: 'other' })) as Version;
    const builder = await pool.connect();
    await builder.query('select pg_advisory_lock_shared($1, $2)', [LOCKS.build, other.id]);
    const ending = new AbortController();
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
    const keeping = keepVersions(pool, registry, { mode: 'promote', log, signal: ending.signal });
    await expect.poll(() => lines).toContain('waiting for another build');
    ending.abort();
    await keeping;
    expect(await states()).toEqual(['live, other', 'building, other']);
    builder.release(true);
    expect(await start('promote')).toContain('built and promoted');
    expect(await states()).toEqual(['previous, other', 'live']);
    await expect(
      promoteVersion(pool, artistProjection, registry, { id: other.id, decision: BY_TEST }),
    ).rejects.toThrow('gone');
  });
});
