import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { clearIngest } from '../../test/support/ingest/dead-letters.ts';
import { MENTIONS, mention, storedMentions, streamMentions } from '../../test/support/ingest/mentions.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { withFolder } from '../../test/support/services/folder.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';

const database = withDatabase();
const folder = withFolder();
const DAY_MS = 86_400_000;
const now = Date.now();

beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('LINERNOTES_OPERATOR', 'mia');
  await clearIngest(database.pool);
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
/** A file of the last minute. */
const write = (name: string, content: Parameters<typeof folder.write>[1], modifiedMs?: number) =>
  folder.write(`${++files}/${name}`, content, modifiedMs ?? now - 60_000 + files);

const daysAgo = (days: number): string => new Date(now - days * DAY_MS).toISOString();

const rowCount = async (): Promise<number> =>
  (await database.pool.query<{ count: number }>('select count(*)::int from ingest.mirror')).rows[0]?.count ??
  -1;

describe('load', () => {
  it('loads files and folders of several kinds, and prints the result of each', async () => {
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

  it('fails if rows broke their contract, after it has loaded all others', async () => {
    const broken = write(`${MENTIONS}.ndjson`, [{ ...mention('a'), url: 7 }, mention('b')]);
    const sound = write(`${artistMomentum.table}.ndjson`, rowsOf(artistMomentum, {}).rows);
    const { code, complaint, lines } = await run('load', broken, sound);
    expect(code).toBe(1);
    expect(complaint).toContain('1 rows broke their contract and became dead letters');
    expect(lines.map(({ changed, deadLetters }) => [changed, deadLetters])).toEqual([
      ['1', '1'],
      ['1', '0'],
    ]);
  });

  it('loads nothing if a file is not named after a source, and names all such files', async () => {
    const file = write(`${MENTIONS}.ndjson`, [mention('a')]);
    const inFolder = write('seen.nothing.csv', 'a\n1\n').replace(/\/[^/]*$/, '');
    const { code, complaint } = await run(
      'load',
      file,
      inFolder,
      write('rows.ndjson', []),
      write('a.b.csv', ''),
    );
    expect(code).toBe(2);
    for (const fault of [
      'seen.nothing.csv: no source is called "seen.nothing"',
      'rows.ndjson is not named after a table',
      'a.b.csv: no source is called "a.b"',
    ])
      expect(complaint).toContain(fault);
    expect(await rowCount()).toBe(0);
    expect(await run('load', write('README.md', '').replace(/\/[^/]*$/, ''))).toMatchObject({ code: 2 });
    const named = await run('load', write('rows.ndjson', [mention('a')]), '--source', MENTIONS);
    expect(named.lines).toMatchObject([{ table: MENTIONS, changed: '1' }]);
  });

  it.each([
    [[], "missing required argument 'path'"],
    [['x', '--replace'], '--replace needs --as-of'],
    [['x', '--expect-rows', '3'], '--expect-rows goes with --replace'],
    [['x', '--as-of', 'yesterday'], 'It must be an instant'],
    [['x', '--as-of', '2026-08-01'], 'It must be an instant'],
    [['x', '--as-of', '2226-08-01T00:00:00Z'], 'It is in the future'],
  ])('prints the usage for %j', async (argv, complaint) => {
    const result = await run('load', ...argv);
    expect(result.code).toBe(2);
    expect(result.complaint).toContain(complaint);
  });

  it('replaces a table on request, one file each, at most 5 % of it or with the number of rows', async () => {
    const all = ['a', 'b', 'c'].map((id) => mention(id));
    await run('load', write(`${MENTIONS}.ndjson`, all));
    const some = write(`${MENTIONS}.ndjson`, [mention('a')]);
    const asOf = ['--as-of', new Date(now - 1_000).toISOString()];
    const both = await run('load', some, write(`${MENTIONS}.ndjson`, [mention('b')]), ...asOf, '--replace');
    expect(both.complaint).toContain('--replace takes one file a table');
    const rejected = await run('load', some, ...asOf, '--replace');
    expect(rejected).toMatchObject({ code: 1, lines: [{ older: '0', unchanged: '1', removed: '0' }] });
    expect(rejected.complaint).toContain('lacks 2 of its 3 rows, more than 5 %');
    const other = await run('load', some, ...asOf, '--replace', '--expect-rows', '3');
    expect(other.complaint).toContain('the file has 1 different rows, and 3 were expected');
    expect(await storedMentions(database.pool)).toMatchObject({ b: 'title of b', c: 'title of c' });
    const done = await run('load', some, ...asOf, '--replace', '--expect-rows', '1');
    expect(done).toMatchObject({ code: 0, lines: [{ removed: '2', loadedBefore: '1' }] });
    expect(await storedMentions(database.pool)).toEqual({ a: 'title of a', b: null, c: null });
    const { rows } = await database.pool.query(
      'select actor, action, target, detail from operation.audit order by id',
    );
    const detail = { file: some, asOf: asOf[1], epoch: 0, outdated: false };
    const began = { actor: 'mia', action: 'load', target: MENTIONS };
    expect(rows.filter((_, index) => index !== 4 && index !== 5)).toMatchObject([
      began,
      { action: 'load ended', detail: { replace: null, changed: 3, failure: null } },
      { ...began, detail: { ...detail, replace: {} } },
      { action: 'load ended', detail: { removed: 0, failure: expect.stringContaining('--expect-rows') } },
      { ...began, detail: { ...detail, replace: { expectedRows: 1 } } },
      { action: 'load ended', detail: { removed: 2, failure: null, isWhole: true } },
    ]);

    expect((await run('load', 'undo')).lines).toMatchObject([{ table: MENTIONS, rows: '2' }]);
    expect(await run('load', 'undo', MENTIONS)).toMatchObject({ code: 2 });
    const undone = await runOps('load', 'undo', MENTIONS, '--why', 'the export was incomplete');
    expect(undone).toMatchObject({ code: 0, printed: ['restored\t2', 'changed since\t0'] });
    expect(await storedMentions(database.pool)).toMatchObject({ b: 'title of b', c: 'title of c' });
    const again = await run('load', 'undo', MENTIONS, '--why', 'once more');
    expect(again).toMatchObject({ code: 1, complaint: expect.stringContaining('in the last 7 days') });
  });

  it('replaces a table by a file whose manifest states its rows and its digest', async () => {
    await run('load', write(`${MENTIONS}.ndjson`, [mention('a'), mention('b')]));
    const file = write(`${MENTIONS}.ndjson`, [mention('a')]);
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    const replacing = ['load', file, '--as-of', new Date(now - 1_000).toISOString(), '--replace'];
    const withManifest = (manifest: unknown) => {
      writeFileSync(`${file}.manifest.json`, JSON.stringify(manifest));
      return run(...replacing);
    };
    expect((await withManifest({ rows: 1 })).complaint).toContain('must hold {"rows"');
    expect((await withManifest({ rows: 1, sha256: '0'.repeat(64) })).complaint).toContain('another digest');
    expect((await withManifest({ rows: 2, sha256 })).complaint).toContain('2 were expected');
    expect(await storedMentions(database.pool)).toEqual({ a: 'title of a', b: 'title of b' });
    expect(await withManifest({ rows: 1, sha256 })).toMatchObject({ code: 0, lines: [{ removed: '1' }] });
  });

  it('loads a snapshot that is older than the retention of deletes into a streamed table only with --outdated', async () => {
    const old = ['--as-of', daysAgo(31)];
    const file = write(`${MENTIONS}.ndjson`, [mention('a')]);
    expect(await run('load', file, ...old)).toMatchObject({ code: 0 });
    expect(await run('load', write(`${MENTIONS}.ndjson`, [mention('b')]), ...old)).toMatchObject({ code: 0 });
    const registry = await registerSources(database.pool);
    await streamMentions(database.pool, registry, { id: 'c', atMs: now });
    const next = write(`${MENTIONS}.ndjson`, [mention('d')]);
    const { code, complaint } = await run('load', next, ...old);
    expect(code).toBe(1);
    expect(complaint).toContain('older than the retention of deletes');
    expect(await run('load', next, '--as-of', daysAgo(29))).toMatchObject({
      code: 0,
      lines: [{ changed: '1' }],
    });
    expect(await run('load', next, ...old, '--outdated')).toMatchObject({ code: 0, lines: [{ older: '1' }] });
  });

  it('stops after the current chunk when interrupted, and continues with the same command', async () => {
    const rows = Array.from({ length: 20_005 }, (_, number) => mention(`m${number}`));
    const file = write(`${MENTIONS}.ndjson.gz`, rows);
    const client = await database.pool.connect();
    try {
      // Holds the first chunk until the load is interrupted.
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock($1)', [LOCKS.versions]);
      const loading = run('load', file);
      await expect.poll(() => lockWaiters(database.pool)).toBe(1);
      process.emit('SIGINT');
      await client.query('commit');
      expect(await loading).toMatchObject({
        code: 1,
        complaint: 'stopped; the same command continues from here',
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
    [[], 2, "missing required argument 'table'"],
    [['seen.nothing'], 2, 'No source is called'],
    [[MENTIONS, '--raise'], 2, '--raise needs a reason'],
    [[MENTIONS, '--raise', '--why', ' '], 2, "option '--why <text>' argument ' ' is invalid"],
    [[MENTIONS, '--why', 'x'], 2, '--why goes with --raise'],
  ])('rejects %j', async (argv, code, complaint) => {
    const result = await run('sources', 'epoch', ...argv);
    expect(result.code).toBe(code);
    expect(result.complaint).toContain(complaint);
  });
});
