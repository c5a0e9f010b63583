import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { artistPressMentions } from '../../projections/contracts/archive/artist-press-mentions.ts';
import { radioCoPlay } from '../../projections/contracts/seen/radio-co-play.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import {
  changeRecord,
  clearIngest,
  eventTime,
  ingest,
  mentionChange,
  rejectedOnce,
  states,
} from '../../test/support/ingest/dead-letters.ts';
import { storedMentions } from '../../test/support/ingest/mentions.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const database = withDatabase();
const { pool } = database;
const TABLE = artistPressMentions.table;
const TOPIC = `producers.${TABLE}`;
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
beforeEach(() => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('LINERNOTES_OPERATOR', 'ada');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await clearIngest(pool);
});

async function attempt(...argv: string[]) {
  const { code, printed, complaints } = await runOps('dead-letters', ...argv);
  return { code, printed, complaints: complaints.join('\n') };
}

async function run(...argv: string[]): Promise<string[]> {
  const { code, printed, complaints } = await attempt(...argv);
  expect([code, complaints]).toEqual([0, '']);
  return printed;
}

async function firstId(): Promise<number> {
  const { rows } = await pool.query<{ id: number }>('select min(id)::int as id from ingest.dead_letter');
  return rows[0]?.id ?? 0;
}

/** Lines of a table without its header, each without id and time. */
const cells = (lines: readonly string[]): string[][] =>
  lines.slice(1).map((line) => {
    const row = line.split('\t');
    return [...row.slice(1, 8), ...row.slice(9)];
  });

describe('dead-letters list', () => {
  it('lists open dead letters, the newest first, and others on request', async () => {
    const edge = { cluster_id: 'a1'.repeat(32), other_cluster_id: 'b2'.repeat(32) };
    await ingest(pool, registry, [
      mentionChange('m1', 1, { title: 12, url: null }),
      mentionChange('m2', 2, { title: 12 }),
      mentionChange('m2', 3),
    ]);
    const broken = changeRecord({ source: radioCoPlay, key: edge, row: { other_name: 7 }, lsn: 4 });
    await ingest(pool, registry, [broken], { partition: 5 });
    const edgeKey = `${edge.cluster_id}␟${edge.other_cluster_id}`;
    const ofEdge = [
      'open',
      'contract',
      radioCoPlay.table,
      edgeKey,
      `producers.${radioCoPlay.table}`,
      '5',
      '4',
      'other_name: not_text',
    ];
    const first = [
      'open',
      'contract',
      TABLE,
      'm1',
      TOPIC,
      '0',
      '1',
      'title: not_text, url: null_not_allowed',
    ];
    const second = ['superseded', 'contract', TABLE, 'm2', TOPIC, '0', '2', 'title: not_text'];
    const listed = await run('list');
    expect(listed[0]).toBe('id\tstate\tclass\ttable\tkey\ttopic\tpartition\toffset\trecordedAt\tviolations');
    expect(cells(listed)).toEqual([ofEdge, first]);
    expect(cells(await run('list', '--state', 'all'))).toEqual([ofEdge, second, first]);
    expect(cells((await run('list', '--state', 'all', '--limit', '2')).slice(0, -1))).toEqual([
      ofEdge,
      second,
    ]);
    expect(cells(await run('list', '--state', 'superseded'))).toEqual([second]);
    expect(cells(await run('list', '--source', TABLE))).toEqual([first]);
    expect(cells(await run('list', '--key', edgeKey))).toEqual([ofEdge]);
    expect(cells(await run('list', '--class', 'undecodable'))).toEqual([]);
    expect(cells(await run('list', '--since', '2999-01-01'))).toEqual([]);
    expect(cells(await run('list', '--since', '2020-01-01T00:00:00Z'))).toHaveLength(2);
    const json = JSON.parse((await run('list', '--source', TABLE, '--json')).join('\n'));
    expect(json).toEqual([
      {
        id: expect.any(Number),
        state: 'open',
        class: 'contract',
        table: TABLE,
        key: 'm1',
        version: `00000000${'1'.padStart(16, '0').repeat(2)}1`,
        topic: TOPIC,
        partition: 0,
        offset: 1,
        violations: [
          { field: 'title', reason: 'not_text' },
          { field: 'url', reason: 'null_not_allowed' },
        ],
        recordedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });
});

describe('dead-letters show', () => {
  it('shows all fields of a dead letter, its fixes, and a readable payload', async () => {
    const record = mentionChange('m1', 1, { title: 12 });
    await ingest(pool, registry, [{ ...record, headers: { trace: 'x' } }]);
    const id = await firstId();
    const shown = (await run('show', String(id))).filter((line) => !line.startsWith('recordedAt'));
    expect(shown).toEqual([
      `id\t${id}`,
      'state\topen',
      'class\tcontract',
      `table\t${TABLE}`,
      `version\t00000000${'1'.padStart(16, '0').repeat(2)}1`,
      `topic\t${TOPIC}`,
      'partition\t0',
      'offset\t1',
      `recordTime\t${new Date(eventTime(1) + 10).toISOString()}`,
      'epoch\t0',
      'key\tm1',
      'recordKey\t{"mention_id":"m1"}',
      'headers\t{"trace":"x"}',
      'violation\ttitle\tnot_text\twrite a string',
      `payload\t${record.value}`,
    ]);
  });

  it('shows bytes that are not UTF-8, and gives all of them in JSON', async () => {
    const value = Buffer.from([0x7b, 0x0a, 0x00, 0xff, 0x41]);
    const key = Buffer.from('{"mention_id":"\u0000é"}');
    await ingest(pool, registry, [{ ...mentionChange('m1', 1), key, value }]);
    const id = String(await firstId());
    const shown = await run('show', id);
    expect(shown.at(-1)).toBe('payload\t{\n\\x00\\xffA');
    expect(shown).toContain('recordKey\t{"mention_id":"\\u0000é"}');
    const json = JSON.parse((await run('show', id, '--json')).join('\n'));
    expect(json).toMatchObject({
      recordKey: key.toString(),
      payload: '{\n\\x00\\xffA',
      payloadBase64: value.toString('base64'),
    });
    expect(json).not.toHaveProperty('recordKeyBase64');
  });

  it('fails if it does not exist', async () => {
    expect(await attempt('show', '987654')).toEqual({
      code: 1,
      printed: [],
      complaints: 'there is no dead letter 987654',
    });
  });
});

describe('dead-letters preview, replay and discard', () => {
  beforeEach(() =>
    ingest(pool, registry, [
      rejectedOnce(mentionChange('m1', 1, { title: 'one' }), registry),
      mentionChange('m2', 2, { title: 12 }),
      mentionChange('m3', 3, { title: 12 }),
    ]),
  );

  it('preview groups what a replay would do', async () => {
    const id = await firstId();
    expect(await run('preview', '--source', TABLE)).toEqual([
      'outcome\ttable\tdeadLetters\tviolations\tids',
      `apply\t${TABLE}\t1\t\t${id}`,
      `again\t${TABLE}\t2\ttitle: not_text\t${id + 1} ${id + 2}`,
    ]);
    const json = await run('preview', '--id', String(id), '--id', String(id + 1), '--key', 'm2', '--json');
    expect(JSON.parse(json.join('\n'))).toEqual([
      { outcome: 'again', table: TABLE, violations: ['title: not_text'], deadLetters: 1, samples: [id + 1] },
    ]);
    expect(await states(pool)).toEqual(['open@1', 'open@2', 'open@3']);
  });

  it('replay applies valid dead letters and reports the others', async () => {
    expect(await attempt('replay', '--all', '--why', 'mended', '--rate', '100/s')).toEqual({
      code: 1,
      printed: ['replayed\t1', 'superseded\t0', 'open\t2'],
      complaints: 'dead letters that still break their contract: 2; see: dead-letters list',
    });
    expect(await storedMentions(pool)).toEqual({ m1: 'one' });
    const { rows } = await pool.query('select actor, action, target, reason from operation.audit');
    expect(rows).toEqual([{ actor: 'ada', action: 'dead-letters replay', target: 'all', reason: 'mended' }]);
  });

  it('discard gives up the selected dead letters', async () => {
    expect(await run('discard', '--key', 'm2', '--source', TABLE, '--why', 'a test row')).toEqual([
      'discarded\t1',
    ]);
    expect(await states(pool)).toEqual(['open@1', 'discarded@2', 'open@3']);
    const { rows } = await pool.query('select actor, action, target, reason from operation.audit');
    expect(rows).toEqual([
      {
        actor: 'ada',
        action: 'dead-letters discard',
        target: `source=${TABLE} key=m2`,
        reason: 'a test row',
      },
    ]);
  });

  it('discard reports a selected id that was not open', async () => {
    const id = String(await firstId());
    expect(await attempt('discard', '--id', id, '--id', '987654', '--why', 'test rows')).toEqual({
      code: 1,
      printed: ['discarded\t1'],
      complaints: 'dead letters that were not open: 1',
    });
    expect(await states(pool)).toEqual(['discarded@1', 'open@2', 'open@3']);
  });

  it('list reports that there are more', async () => {
    const printed = await run('list', '--limit', '2');
    expect(printed).toHaveLength(4);
    expect(printed[3]).toBe('these are the newest 2; there are more: --limit N');
    expect(await run('list', '--limit', '3')).toHaveLength(4);
  });

  it.each([['list'], ['preview'], ['replay', '--why', 'x'], ['discard', '--why', 'x']])(
    '%s reports an unknown source',
    async (...argv) => {
      const { code, complaints } = await attempt(...argv, '--source', 'seen.festivals');
      expect(code).toBe(2);
      expect(complaints).toContain(
        'no source is called "seen.festivals", and it has no dead letters; see: sources list',
      );
    },
  );
});

describe('a mistyped command', () => {
  it.each([
    [[], 'replay [options]'],
    [['purge'], "unknown command 'purge'"],
    [
      ['list', '--class', 'bad'],
      "option '--class <class>' argument 'bad' is invalid. Allowed choices are unknown-source, undecodable, implausible, contract, incomplete.",
    ],
    [
      ['list', '--state', 'gone'],
      "argument 'gone' is invalid. Allowed choices are open, replayed, superseded, discarded, all.",
    ],
    [
      ['list', '--since', 'yesterday'],
      "option '--since <instant>' argument 'yesterday' is invalid. It must be a day or an instant",
    ],
    [
      ['list', '--limit', '0'],
      "option '--limit <n>' argument '0' is invalid. It must be a whole number from 1 to 9007199254740991.",
    ],
    [['show'], "missing required argument 'id'"],
    [['show', 'x'], "<id> is 'x'. It must be a whole number"],
    [['replay'], "required option '--why <text>' not specified"],
    [['replay', '--why', ' '], "option '--why <text>' argument ' ' is invalid"],
    [['replay', '--why', 'x'], 'select dead letters, or name --all'],
    [['replay', '--all', '--key', 'm1', '--why', 'x'], 'select dead letters, or name --all'],
    [
      ['replay', '--why', 'x', '--rate', 'fast'],
      "option '--rate <n/s>' argument 'fast' is invalid. It must be a whole number from 1 to 9007199254740991.",
    ],
    [['discard', '--why', 'x'], 'select dead letters'],
    [['discard', '--id', '1'], "required option '--why <text>' not specified"],
  ])('such as %j prints the usage', async (argv, complaint) => {
    const { code, printed, complaints } = await attempt(...argv);
    expect([code, printed]).toEqual([2, []]);
    expect(complaints).toContain(complaint);
    expect(complaints).toContain('Usage:');
  });
});
