import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { surfaces } from '../../projections/contracts/surfaces.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const { pool, url } = withDatabase();

beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('LINERNOTES_OPERATOR', 'ana');
  await pool.query('truncate operation.surface_off, operation.audit');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const run = (...argv: string[]) => runOps('surfaces', ...argv);

async function ran(...argv: string[]): Promise<string[]> {
  const { code, printed, complaints } = await run(...argv);
  expect([code, complaints]).toEqual([0, []]);
  return printed;
}

const listed = async (): Promise<string[][]> => (await ran('list')).map((line) => line.split('\t'));
const audited = async (): Promise<unknown[]> =>
  (await pool.query('select actor, action, target, reason, detail from operation.audit order by id')).rows;

describe('surfaces', () => {
  it('lists the switch for all surfaces, then one per surface', async () => {
    const [head, all, ...each] = await listed();
    expect(head).toEqual(['surface', 'grain', 'switch', 'since', 'actor', 'reason']);
    expect(all).toEqual(['all surfaces', '', 'on', '', '', '']);
    expect(each).toEqual(surfaces.map(({ table, surface }) => [table, surface.grain, 'on', '', '', '']));
  });

  it('are disabled and enabled once each, with operator and reason in the audit log', async () => {
    expect(await ran('disable', 'seen.dj_champion', '--why', ' rights  unclear ')).toEqual([
      'seen.dj_champion off',
    ]);
    expect(await ran('disable', 'seen.dj_champion', '--why', 'again')).toEqual([
      'seen.dj_champion was off already',
    ]);
    const row = (await listed()).find(([name]) => name === 'seen.dj_champion') ?? [];
    expect(row.toSpliced(3, 1)).toEqual([
      'seen.dj_champion',
      'cluster-edge-list',
      'off',
      'ana',
      'rights  unclear',
    ]);
    expect(row[3]).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    expect((await listed()).filter(([, , state]) => state === 'off')).toHaveLength(1);

    expect(await ran('enable', 'seen.dj_champion')).toEqual(['seen.dj_champion on']);
    expect(await ran('enable', 'seen.dj_champion')).toEqual(['seen.dj_champion was on already']);
    expect(await audited()).toEqual([
      {
        actor: 'ana',
        action: 'surfaces disable',
        target: 'seen.dj_champion',
        reason: 'rights  unclear',
        detail: {},
      },
      {
        actor: 'ana',
        action: 'surfaces enable',
        target: 'seen.dj_champion',
        reason: null,
        detail: { off: { since: row[3], actor: 'ana', reason: 'rights  unclear' } },
      },
    ]);
  });

  it('list the switches that remain off', async () => {
    await ran('disable', 'seen.radio_co_play', '--why', 'one');
    await ran('disable', 'seen.dj_champion', '--why', 'two');
    expect(await ran('disable', '--all', '--why', 'incident')).toEqual(['all surfaces off']);
    expect((await listed())[1]?.slice(0, 3)).toEqual(['all surfaces', '', 'off']);
    expect(await ran('enable', 'seen.radio_co_play', '--why', 'settled')).toEqual([
      'seen.radio_co_play on',
      'still off: all surfaces',
    ]);
    expect(await ran('enable', '--all')).toEqual(['all surfaces on', 'still off: seen.dj_champion']);
    expect((await audited()).map((entry) => Object.values(entry as object).slice(1, 4))).toEqual([
      ['surfaces disable', 'seen.radio_co_play', 'one'],
      ['surfaces disable', 'seen.dj_champion', 'two'],
      ['surfaces disable', '*', 'incident'],
      ['surfaces enable', 'seen.radio_co_play', 'settled'],
      ['surfaces enable', '*', null],
    ]);
  });

  it.each([
    [['disable', 'seen.dj_champion'], 2, "required option '--why <text>' not specified"],
    [['disable', 'seen.dj_champion', '--why', ' '], 2, "option '--why <text>' argument ' ' is invalid"],
    [['disable', '--why', 'x'], 2, 'name one surface, or --all'],
    [['disable', 'seen.dj_champion', '--all', '--why', 'x'], 2, 'name one surface, or --all'],
    [['enable', 'seen.dj_champion', 'seen.radio_co_play'], 2, "too many arguments for 'enable'"],
    [['enable'], 2, 'name one surface, or --all'],
    [['disable', 'seen.unheard_of', '--why', 'x'], 2, 'no surface is called "seen.unheard_of"'],
    [['disable', 'catalog.artist', '--why', 'x'], 2, 'no surface is called "catalog.artist"'],
    [['toggle'], 2, "unknown command 'toggle'"],
    [['list', 'all'], 2, "too many arguments for 'list'"],
  ])('rejects %j', async (argv, code, complaint) => {
    const result = await run(...argv);
    expect(result.code).toBe(code);
    expect(result.complaints.join('\n')).toContain(complaint);
    expect((await pool.query('select from operation.surface_off')).rowCount).toBe(0);
    expect(await audited()).toEqual([]);
  });
});
