import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerSources } from '../../projections/engine/registry.ts';
import { documentTable, liveVersion, versionsOf } from '../../projections/engine/store/version.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { fillArtists, testArtistKey } from '../../test/support/projections/artists.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { servedVersion } from '../../test/support/projections/served-version.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const ARTISTS = 30;

describe('the commands for rebuilds', () => {
  const { pool, url } = withDatabase();

  beforeAll(async () => {
    const registry = await registerSources(pool);
    await fillArtists(pool, registry, ARTISTS);
    await rebuild(pool, artistProjection, registry);
  });

  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', url);
    vi.stubEnv('LINERNOTES_OPERATOR', 'kim');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  async function run(...argv: string[]) {
    const progress = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { code, printed, complaints } = await runOps(...argv);
    progress.mockRestore();
    return { code, printed, complaints };
  }

  const statesOf = async () => (await versionsOf(pool, 'artist')).map(({ id, state }) => `${id} ${state}`);

  it('build while another version is live, compare, promote and roll back', async () => {
    const live = await servedVersion(pool, 'artist');
    await pool.query(`delete from ${documentTable(live)} where key = $1`, [testArtistKey(3)]);
    const next = live.id + 1;
    expect(await run('rebuild', 'artist')).toEqual({
      code: 0,
      printed: [
        `version ${next} against ${live.id}: ${ARTISTS - 1} equal, 0 changed, 1 added, 0 gone`,
        `added: ${testArtistKey(3)}`,
        `version ${next} of artist is ready; to serve it: npm run ops -- promote artist`,
      ],
      complaints: [],
    });

    const shown = await run('versions', 'show', String(next));
    expect(shown.printed[1]?.split('\t').slice(0, 6)).toEqual([
      `${next}`,
      'artist',
      'ready',
      'this',
      `${ARTISTS}/${ARTISTS}`,
      '0',
    ]);
    expect(shown.printed.slice(2)).toEqual([
      `version ${next} against ${live.id}: ${ARTISTS - 1} equal, 0 changed, 1 added, 0 gone`,
      `added: ${testArtistKey(3)}`,
    ]);

    const promoted = await run('promote', 'artist', '--why', 'it is better');
    expect(promoted.printed[0]).toMatch(
      new RegExp(
        `^version ${next} of artist is live instead of version ${live.id}; readers waited \\d+ ms at most$`,
      ),
    );
    expect(await statesOf()).toEqual([`${live.id} previous`, `${next} live`]);
    expect((await run('rollback', 'artist', '--why', 'it was not')).code).toBe(0);
    expect(await statesOf()).toEqual([`${live.id} live`, `${next} previous`]);
    const { rows } = await pool.query(
      `select actor, action, reason from operation.audit where actor = 'kim' order by id`,
    );
    expect(rows).toEqual([
      { actor: 'kim', action: 'rebuild', reason: null },
      { actor: 'kim', action: 'promote', reason: 'it is better' },
      { actor: 'kim', action: 'rollback', reason: 'it was not' },
    ]);
  });

  it('build and promote with one command', async () => {
    const { printed } = await run('rebuild', 'artist', '--from-scratch', '--promote');
    const live = await liveVersion(pool, 'artist');
    expect(printed.at(-1)).toBe(`version ${live?.id} of artist is live`);
    const list = await run('versions', 'list');
    expect(list.printed.map((line) => line.split('\t').slice(1, 4))).toEqual([
      ['projection', 'state', 'code'],
      ['artist', 'previous', 'this'],
      ['artist', 'live', 'this'],
    ]);
  });

  it('rebuild one document', async () => {
    const live = await servedVersion(pool, 'artist');
    await pool.query(`update ${documentTable(live)} set hash = '\\x00' where key = $1`, [testArtistKey(4)]);
    const { printed } = await run('rebuild', 'artist', '--key', 'artist-4');
    expect(printed).toContain(`${testArtistKey(4)} in version ${live.id} (live): changed`);
    expect(printed).toHaveLength(2);
  });

  it.each([
    [['rebuild'], 2, "missing required argument 'projection'"],
    [['rebuild', 'nothing'], 2, "<projection> is 'nothing'. Allowed choices are artist, browse, festival"],
    [['rebuild', 'artist', '--key', 'x', '--promote'], 2, '--key rebuilds one document'],
    [['rebuild', 'artist', '--key', 'nobody'], 1, 'artist has no document for "nobody"'],
    [['rebuild', 'pause', 'artist'], 1, 'no version of artist is being built'],
    [['rebuild', 'resume'], 2, "missing required argument 'projection'"],
    [['promote', 'artist'], 1, 'no version of artist is ready; build one: rebuild artist'],
    [['rollback', 'artist'], 2, "required option '--why <text>' not specified"],
    [['rollback', 'label', '--why', 'x'], 1, 'label has no previous version'],
    [['versions'], 2, 'show <id>'],
    [['versions', 'show', 'x'], 2, "<id> is 'x'"],
    [['versions', 'show', '99999'], 1, 'there is no version 99999'],
  ])('end %j with exit code %i', async (argv, code, complaint) => {
    const result = await run(...argv);
    expect(result).toMatchObject({ code, printed: [] });
    expect(result.complaints.join('\n')).toContain(complaint);
  });
});
