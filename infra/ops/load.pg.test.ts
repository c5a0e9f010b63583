import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { registerSources } from '../../projections/registry.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { forgetMentions, MENTIONS, mention, storedMentions, streamMentions } from '../../test/mentions.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { runOps } from '../../test/run-ops.ts';
import { withDatabase } from '../../test/services/database.ts';
import { withFolder } from '../../test/services/folder.ts';

const database = withDatabase();
const folder = withFolder();
const DAY_MS = 86_400_000;
const now = Date.now();

beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('LINERNOTES_OPERATOR', 'mia');
  await forgetMentions(database.pool);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function run(...argv: string[]) {
  const { code, printed, complaints } = await runOps(...argv);
  const [head = [], ...rows] = printed.map((line) => line.split('\t'));
  const lines = rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index]])));
  return { code, complaint: complaints.join('\n'), lines };
}

let files = 0;
/** A file of the last minute; files of one name, size and time would count as one. */
const write = (name: string, content: Parameters<typeof folder.write>[1], modifiedMs?: number) =>
  folder.write(`${++files}/${name}`, content, modifiedMs ?? now - 60_000 + files);

const daysAgo = (days: number): string => new Date(now - days * DAY_MS).toISOString();

const rowCount = async (): Promise<number> =>
  (await database.pool.query<{ count: number }>('select count(*)::int from ingest.mirror')).rows[0]?.count ??
  -1;

describe('load', () => {
  it('loads files and folders of several kinds, and says what became of them', async () => {
    const momentum = rowsOf(artistMomentum, { cluster_id: 'ab'.repeat(32) }).rows[0] ?? {};
    const csv = `${Object.keys(momentum).join(',')}\n${Object.values(momentum).join(',')}\n`;
    const inFolder = write(`${MENTIONS}.ndjson.gz`, [mention('a'), mention('b')]).replace(/\/[^/]*$/, '');
    const file = write(`ours.${artistMomentum.table}.csv`, csv);
    const { code, complaint, lines } = await run('load', inFolder, file, '--prefix', 'ours');
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    const none = { unchanged: '0', older: '0', removed: '0', deadLetters: '0', loadedBefore: '0' };
    expect(lines).toEqual([
      { file: `${MENTIONS}.ndjson.gz`, table: MENTIONS, changed: '2', ...none },
      { file: `ours.${artistMomentum.table}.csv`, table: artistMomentum.table, changed: '1', ...none },
    ]);
    const again = await run('load', inFolder);
    expect(again.lines).toMatchObject([{ changed: '0', unchanged: '0', older: '0', loadedBefore: '2' }]);
    const other = write(`${MENTIONS}.ndjson`, [mention('a'), mention('b', 'new'), mention('c')], now + 1_000);
    const later = await run('load', other, '--as-of', new Date(now - 120_000).toISOString());
    expect(later.lines).toMatchObject([{ changed: '1', older: '2', loadedBefore: '0' }]);
  });

  it('fails when rows broke their contract, after it has loaded all others', async () => {
    const broken = write(`${MENTIONS}.ndjson`, [{ ...mention('a'), url: 7 }, mention('b')]);
    const sound = write(`${artistMomentum.table}.ndjson`, rowsOf(artistMomentum, {}).rows);
    const { code, complaint, lines } = await run('load', broken, sound);
    expect(code).toBe(1);
    expect(complaint).toContain('1 rows broke their contract and wait in the dead letters');
    expect(lines.map(({ changed, deadLetters }) => [changed, deadLetters])).toEqual([
      ['1', '1'],
      ['1', '0'],
    ]);
  });

  it('loads nothing where a name tells no source, and names all of them', async () => {
    const file = write(`${MENTIONS}.ndjson`, [mention('a')]);
    const inFolder = write('seen.nothing.csv', 'a\n1\n').replace(/\/[^/]*$/, '');
    const { code, complaint } = await run(
      'load',
      file,
      inFolder,
      write('rows.ndjson', []),
      write('a.b.csv', ''),
    );
    expect(code).toBe(1);
    for (const name of ['seen.nothing', 'rows.ndjson', 'a.b']) expect(complaint).toContain(`named ${name}`);
    expect(await rowCount()).toBe(0);
    expect(await run('load', write('README.md', '').replace(/\/[^/]*$/, ''))).toMatchObject({ code: 1 });
    const named = await run('load', write('rows.ndjson', [mention('a')]), '--source', MENTIONS);
    expect(named.lines).toMatchObject([{ table: MENTIONS, changed: '1' }]);
  });

  it.each([
    [[], 'name a file or a folder'],
    [['x', '--replace'], '--replace needs --as-of'],
    [['x', '--as-of', 'yesterday'], '--as-of is an instant'],
    [['x', '--as-of', '2026-08-01'], '--as-of is an instant'],
    [['x', '--as-of', '2226-08-01T00:00:00Z'], 'is still to come'],
  ])('answers %j with the usage', async (argv, complaint) => {
    const answer = await run('load', ...argv);
    expect(answer.code).toBe(2);
    expect(answer.complaint).toContain(complaint);
  });

  it('replaces a table when asked, one file each, and not most of it', async () => {
    await run(
      'load',
      write(
        `${MENTIONS}.ndjson`,
        ['a', 'b', 'c'].map((id) => mention(id)),
      ),
    );
    const some = write(`${MENTIONS}.ndjson`, [mention('a')]);
    const asOf = ['--as-of', new Date(now - 1_000).toISOString()];
    const both = await run('load', some, write(`${MENTIONS}.ndjson`, [mention('b')]), ...asOf, '--replace');
    expect(both.complaint).toContain('--replace takes one file a table');
    const refused = await run('load', some, ...asOf, '--replace');
    expect(refused).toMatchObject({ code: 1, lines: [{ older: '0', unchanged: '1', removed: '0' }] });
    expect(refused.complaint).toContain(
      'lacks 2 of its 3 rows, more than half; if that is right, say --replace-most',
    );
    expect(await storedMentions(database.pool)).toMatchObject({ b: 'title of b', c: 'title of c' });
    const done = await run('load', some, ...asOf, '--replace-most');
    expect(done).toMatchObject({ code: 0, lines: [{ removed: '2', loadedBefore: '1' }] });
    expect(await storedMentions(database.pool)).toEqual({ a: 'title of a', b: null, c: null });
    const { rows } = await database.pool.query(
      'select actor, action, target, detail from operation.audit order by id',
    );
    const told = { file: some, asOf: asOf[1], epoch: 0, outdated: false };
    const began = { actor: 'mia', action: 'load', target: MENTIONS };
    expect(rows).toMatchObject([
      began,
      { action: 'load ended', detail: { replace: null, changed: 3, failure: null } },
      { ...began, detail: { ...told, replace: 'up to half' } },
      { action: 'load ended', detail: { removed: 0, failure: expect.stringContaining('--replace-most') } },
      { ...began, detail: { ...told, replace: 'most' } },
      { action: 'load ended', detail: { removed: 2, failure: null, isWhole: true } },
    ]);
  });

  it('asks before it loads what is older than deletes are remembered into a table that is streamed', async () => {
    const old = ['--as-of', daysAgo(31)];
    const file = write(`${MENTIONS}.ndjson`, [mention('a')]);
    expect(await run('load', file, ...old)).toMatchObject({ code: 0 });
    expect(await run('load', write(`${MENTIONS}.ndjson`, [mention('b')]), ...old)).toMatchObject({ code: 0 });
    const registry = await registerSources(database.pool);
    await streamMentions(database.pool, registry, { id: 'c', atMs: now });
    const next = write(`${MENTIONS}.ndjson`, [mention('d')]);
    const { code, complaint } = await run('load', next, ...old);
    expect(code).toBe(1);
    expect(complaint).toContain('older than deletes are remembered');
    expect(await run('load', next, '--as-of', daysAgo(29))).toMatchObject({
      code: 0,
      lines: [{ changed: '1' }],
    });
    expect(await run('load', next, ...old, '--outdated')).toMatchObject({ code: 0, lines: [{ older: '1' }] });
  });

  it('stops after the chunk in hand when it is interrupted, and goes on with the same command', async () => {
    const rows = Array.from({ length: 20_005 }, (_, number) => mention(`m${number}`));
    const file = write(`${MENTIONS}.ndjson.gz`, rows);
    const client = await database.pool.connect();
    try {
      // Holds the first chunk until the interruption is there.
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
      const loading = run('load', file);
      await vi.waitFor(() => waiting(1), { timeout: 20_000 });
      process.emit('SIGINT');
      await client.query('commit');
      expect(await loading).toMatchObject({
        code: 1,
        complaint: 'stopped; the same command goes on where it was',
        lines: [{ changed: '10000' }],
      });
    } finally {
      client.release();
    }
    expect(await rowCount()).toBe(10_000);
    const { code, lines } = await run('load', file);
    expect(code).toBe(0);
    expect(lines).toMatchObject([{ changed: '10005', loadedBefore: '10000' }]);
  });

  /** Passes where so many batches wait until they may know the versions. */
  async function waiting(count: number): Promise<void> {
    const { rows } = await database.pool.query(
      `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      [LOCKS.versions],
    );
    expect(rows).toHaveLength(count);
  }
});

describe('sources epoch', () => {
  it('shows the epoch, and raises it for a reason', async () => {
    const shown = async (...argv: string[]) => {
      const { code, printed, complaints } = await runOps('sources', 'epoch', MENTIONS, ...argv);
      expect([code, complaints]).toEqual([0, []]);
      return printed;
    };
    expect(await shown()).toEqual([`${MENTIONS} is in epoch 0`]);
    expect(await shown('--raise', '--why', 'restored from a dump')).toEqual([`${MENTIONS} is in epoch 1`]);
    expect(await shown()).toEqual([`${MENTIONS} is in epoch 1`]);
    const { rows } = await database.pool.query('select actor, target, reason, detail from operation.audit');
    expect(rows).toEqual([
      { actor: 'mia', target: MENTIONS, reason: 'restored from a dump', detail: { epoch: 1 } },
    ]);
  });

  it.each([
    [[], 2, 'name one table'],
    [['seen.nothing'], 1, 'no source is called'],
    [[MENTIONS, '--raise'], 2, '--raise needs a reason'],
    [[MENTIONS, '--raise', '--why', ' '], 2, '--raise needs a reason'],
    [[MENTIONS, '--why', 'x'], 2, '--why goes with --raise'],
  ])('answers %j with a complaint', async (argv, code, complaint) => {
    const answer = await run('sources', 'epoch', ...argv);
    expect(answer.code).toBe(code);
    expect(answer.complaint).toContain(complaint);
  });
});
