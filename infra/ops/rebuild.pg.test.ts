import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { documentTable, liveVersion, versionsOf } from '../../projections/store/version.ts';
import { artistKey, fillArtists } from '../../test/artists.ts';
import { runOps } from '../../test/run-ops.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';

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

  it('build beside the live version, report, promote and roll back', async () => {
    const live = await liveVersion(pool, 'artist');
    if (live === null) throw new Error('nothing is live');
    await pool.query(`delete from ${documentTable(live)} where key = $1`, [artistKey(3)]);
    const next = live.id + 1;
    expect(await run('rebuild', 'artist')).toEqual({
      code: 0,
      printed: [
        `version ${next} against ${live.id}: ${ARTISTS - 1} equal, 0 changed, 1 added, 0 gone`,
        `added: ${artistKey(3)}`,
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
      `added: ${artistKey(3)}`,
    ]);

    const promoted = await run('promote', 'artist', '--why', 'it is better');
    expect(promoted.printed[0]).toMatch(
      new RegExp(
        `^version ${next} of artist is live in the place of version ${live.id}; readers waited \\d+ ms at most$`,
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

  it('build and promote in one go', async () => {
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

  it('mend one entity', async () => {
    const live = await liveVersion(pool, 'artist');
    if (live === null) throw new Error('nothing is live');
    await pool.query(`update ${documentTable(live)} set hash = '\\x00' where key = $1`, [artistKey(4)]);
    const { printed } = await run('rebuild', 'artist', '--key', 'artist-4');
    expect(printed).toContain(`${artistKey(4)} in version ${live.id} (live): changed`);
    expect(printed).toHaveLength(2);
  });

  it.each([
    [['rebuild'], 2, 'name one projection: artist, browse, festival'],
    [['rebuild', 'nothing'], 2, 'there is no projection "nothing"'],
    [['rebuild', 'artist', '--key', 'x', '--promote'], 2, '--key rebuilds one entity'],
    [['rebuild', 'artist', '--key', 'nobody'], 1, 'artist knows nothing by "nobody"'],
    [['rebuild', 'pause', 'artist'], 1, 'no version of artist is being built'],
    [['rebuild', 'resume'], 2, 'name one projection'],
    [['promote', 'artist'], 1, 'no version of artist is ready; build one: rebuild artist'],
    [['rollback', 'artist'], 2, 'say why'],
    [['rollback', 'label', '--why', 'x'], 1, 'label has no previous version to go back to'],
    [['versions'], 2, 'versions does not know ""'],
    [['versions', 'show', 'x'], 2, 'versions show takes one id'],
    [['versions', 'show', '99999'], 1, 'there is no version 99999'],
  ])('answer %j with code %i', async (argv, code, complaint) => {
    const answer = await run(...argv);
    expect(answer).toMatchObject({ code, printed: [] });
    expect(answer.complaints.join('\n')).toContain(complaint);
  });
});
