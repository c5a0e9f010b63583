import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOCKS } from '../../../db/locks.ts';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import {
  changeRecord,
  clearIngest,
  eventTime,
  ingest,
  mentionChange,
  rejectedOnce,
  states,
  UNCHANGED,
} from '../../../test/support/ingest/dead-letters.ts';
import { storedMentions } from '../../../test/support/ingest/mentions.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { snapshotVersion } from '../decode/version.ts';
import { dryRunReplay } from './dry-run.ts';
import { type ReplayCounts, replayDeadLetters } from './replay-dead-letters.ts';
import type { DeadLetterSelector } from './select-dead-letters.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => clearIngest(pool));

const BROKEN = { title: 12 };
const FAST = { ratePerSecond: 1_000_000, actor: 'ada', why: 'the contract was mended', target: 'all' };

const replay = (selector: DeadLetterSelector = {}): Promise<ReplayCounts> =>
  replayDeadLetters(pool, registry, { ...FAST, selector });

const outcome = (counts: Partial<ReplayCounts>): ReplayCounts => ({
  replayed: 0,
  superseded: 0,
  open: 0,
  elsewhere: 0,
  ...counts,
});

const rejectedBefore = (id: string, lsn: number, title: string, offset = lsn): DecodedRecord =>
  rejectedOnce(mentionChange(id, lsn, { title }, { offset }), registry);

async function letters(columns: string): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select ${columns} from ingest.dead_letter order by partition, record_offset`,
  );
  return rows;
}

/** The report of a dry run, as `outcome dead-letters violations`. */
async function dryRun(selector: DeadLetterSelector = {}): Promise<string[]> {
  const lines = await dryRunReplay(pool, selector);
  return lines.map(({ outcome, deadLetters, violations }) => [outcome, deadLetters, ...violations].join(' '));
}

describe('a replay', () => {
  it('applies rows that are valid now, and stores the actor and the reason', async () => {
    await ingest(pool, registry, [rejectedBefore('m1', 1, 'one'), mentionChange('m2', 2)]);
    expect(await dryRun()).toEqual(['apply 1']);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await storedMentions(pool)).toEqual({ m1: 'one', m2: 'title 1' });
    expect(
      await letters('state, settled_by, reason, class, violations, settled_at is null as timeless'),
    ).toEqual([
      {
        state: 'replayed',
        settled_by: 'ada',
        reason: 'the contract was mended',
        class: 'contract',
        violations: [{ field: 'title', reason: 'too_long' }],
        timeless: false,
      },
    ]);
    expect(await dryRun()).toEqual(['replayed 1']);
    expect(await replay()).toEqual(outcome({}));
  });

  it('leaves dead letters open that are still invalid, with the current violations', async () => {
    await ingest(pool, registry, [
      rejectedOnce(mentionChange('m1', 1, { url: 12 }), registry),
      { ...mentionChange('m2', 2), value: Buffer.from([0x7b, 0x00, 0xff]) },
      mentionChange('m3', 3, { title: UNCHANGED }),
    ]);
    expect(await dryRun()).toEqual([
      'again 1 url: not_text',
      'again 1 value: not_an_envelope',
      'again 1 title: unavailable',
    ]);
    expect(await replay()).toEqual(outcome({ open: 3 }));
    expect(await letters('state, class, violations, settled_by, key')).toEqual([
      {
        state: 'open',
        class: 'contract',
        violations: [{ field: 'url', reason: 'not_text' }],
        settled_by: null,
        key: 'm1',
      },
      {
        state: 'open',
        class: 'undecodable',
        violations: [{ field: 'value', reason: 'not_an_envelope' }],
        settled_by: null,
        key: 'm2',
      },
      {
        state: 'open',
        class: 'incomplete',
        violations: [{ field: 'title', reason: 'unavailable' }],
        settled_by: null,
        key: 'm3',
      },
    ]);
    expect(await storedMentions(pool)).toEqual({});
  });

  it('never restores an older row', async () => {
    // Without a readable version, no newer row of another partition supersedes it.
    await ingest(pool, registry, [
      rejectedOnce(mentionChange('m1', 4, { title: 'old' }), registry, 'version'),
    ]);
    await ingest(pool, registry, [mentionChange('m1', 5, { title: 'new' })], { partition: 1 });
    await ingest(pool, registry, [rejectedOnce(mentionChange('m2', 6, BROKEN), registry, 'version')]);
    await ingest(pool, registry, [mentionChange('m2', 7, { title: 'new' })], { partition: 1 });
    expect(await states(pool)).toEqual(['open@4', 'open@6']);
    expect(await dryRun()).toEqual(['older 2']);
    expect(await replay()).toEqual(outcome({ superseded: 2 }));
    expect(await storedMentions(pool)).toEqual({ m1: 'new', m2: 'new' });
    expect(await dryRun()).toEqual(['superseded 2']);
  });

  it('applies a key in the order of its versions, for any order of arrival', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1, { title: 'one', outlet: 'A' })]);
    await ingest(pool, registry, [
      rejectedOnce(mentionChange('m1', 3, { title: UNCHANGED, outlet: 'C' }), registry),
    ]);
    await ingest(pool, registry, [rejectedBefore('m1', 2, 'two', 9)], { partition: 1 });
    expect(await dryRun()).toEqual(['apply 2']);
    expect(await replay()).toEqual(outcome({ replayed: 2 }));
    const { rows } = await pool.query(
      `select row::jsonb -> 'title' as title, row::jsonb -> 'outlet' as outlet from ingest.mirror`,
    );
    expect(rows).toEqual([{ title: 'two', outlet: 'C' }]);
  });

  it('completes left-out values once the whole row is stored', async () => {
    await ingest(pool, registry, [mentionChange('m1', 5, { title: UNCHANGED, outlet: 'new' })]);
    await ingest(pool, registry, [mentionChange('m1', 4, { title: 'whole' })], { partition: 1 });
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    const { rows } = await pool.query(
      `select row::jsonb -> 'title' as title, row::jsonb -> 'outlet' as outlet from ingest.mirror`,
    );
    expect(rows).toEqual([{ title: 'whole', outlet: 'new' }]);
  });

  it('does not restore a row that a lone tombstone has removed since', async () => {
    const tombstone = mentionChange('m1', 3, {}, { op: 'tombstone' });
    // The tombstone cannot be compared with a dead letter without source.
    await ingest(pool, registry, [rejectedOnce(mentionChange('m1', 2), registry, 'source')]);
    await ingest(pool, registry, [tombstone, rejectedOnce(mentionChange('m2', 4), registry, 'source')]);
    expect(await states(pool)).toEqual(['open@2', 'open@4']);
    expect(await dryRun()).toEqual(['older 1', 'apply 1']);
    expect(await replay()).toEqual(outcome({ replayed: 1, superseded: 1 }));
    expect(await storedMentions(pool)).toEqual({ m1: null, m2: 'title 1' });
  });

  it('restores a row written after a tombstone', async () => {
    await ingest(pool, registry, [
      mentionChange('m1', 1),
      mentionChange('m1', 2, {}, { op: 'tombstone' }),
      rejectedBefore('m1', 3, 'again'),
    ]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await storedMentions(pool)).toEqual({ m1: 'again' });
  });

  it('applies deletes by the bytes of their key, and truncates', async () => {
    await ingest(
      pool,
      registry,
      [1, 2, 3].map((lsn) => mentionChange(`m${lsn}`, lsn)),
    );
    await ingest(pool, registry, [rejectedOnce(mentionChange('m1', 5, {}, { op: 'd' }), registry, 'key')]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await storedMentions(pool)).toEqual({ m1: null, m2: 'title 1', m3: 'title 1' });
    await ingest(pool, registry, [
      mentionChange('m3', 8, { title: 'after' }),
      rejectedOnce(changeRecord({ op: 't', lsn: 7 }), registry),
    ]);
    expect(await dryRun({ table: artistPressMentions.table, class: 'contract' })).toEqual([
      'apply 1',
      'replayed 1',
    ]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await storedMentions(pool)).toEqual({ m3: 'after' });
  });

  it('finds the source of a formerly unknown table', async () => {
    await ingest(pool, registry, [
      rejectedOnce(mentionChange('m1', 1, { title: 'one' }), registry, 'source'),
    ]);
    await ingest(pool, registry, [rejectedOnce(mentionChange('m2', 2, BROKEN), registry, 'source')]);
    await ingest(pool, registry, [{ ...mentionChange('m3', 3), topic: 'producers.seen.unheard_of' }], {
      partition: 1,
    });
    expect(await letters('class, source, table_name')).toEqual([
      { class: 'unknown-source', source: null, table_name: artistPressMentions.table },
      { class: 'unknown-source', source: null, table_name: artistPressMentions.table },
      { class: 'unknown-source', source: null, table_name: 'seen.unheard_of' },
    ]);
    expect(await replay()).toEqual(outcome({ replayed: 1, open: 2 }));
    const id = registry.idOf(artistPressMentions);
    expect(await letters('state, class, source, key')).toEqual([
      { state: 'replayed', class: 'unknown-source', source: id, key: 'm1' },
      { state: 'open', class: 'contract', source: id, key: 'm2' },
      { state: 'open', class: 'unknown-source', source: null, key: null },
    ]);
    expect(await storedMentions(pool)).toEqual({ m1: 'one' });
  });

  it('applies a line of a snapshot as of the time of the snapshot', async () => {
    const line = (id: string, offset: number): DecodedRecord => {
      const { after } = JSON.parse(String(mentionChange(id, 1, { title: 'line' }).value));
      const value = JSON.stringify(after);
      const { table } = artistPressMentions;
      const record = { topic: table, key: null, value, headers: {}, offset, timestamp: null };
      return rejectedOnce({ ...record, snapshotTimeMs: eventTime(50) }, registry, 'source');
    };
    const source = artistPressMentions;
    const lines = [line('m1', 0), line('m2', 1)].map(({ record, decoded }) => ({
      record,
      decoded: { ...decoded, source, table: source.table, version: snapshotVersion(0, eventTime(50)) },
    }));
    await ingest(pool, registry, lines as DecodedRecord[]);
    await ingest(pool, registry, [mentionChange('m1', 2, { title: 'streamed' })], { partition: 1 });
    expect(await replay()).toEqual(outcome({ replayed: 1, superseded: 1 }));
    expect(await storedMentions(pool)).toEqual({ m1: 'streamed', m2: 'line' });
    const { rows } = await pool.query(`select version, source_time from ingest.mirror where key = 'm2'`);
    expect(rows).toEqual([
      { version: snapshotVersion(0, eventTime(50)), source_time: new Date(eventTime(50)) },
    ]);
  });

  it('supersedes dead letters of a past epoch', async () => {
    await ingest(pool, registry, [rejectedBefore('m1', 90, 'before')]);
    await pool.query('update ingest.source set epoch = 1');
    expect(await dryRun()).toEqual(['older 1']);
    expect(await replay()).toEqual(outcome({ superseded: 1 }));
    expect(await storedMentions(pool)).toEqual({});
    await ingest(pool, registry, [rejectedBefore('m1', 1, 'after')]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await storedMentions(pool)).toEqual({ m1: 'after' });
    await pool.query('update ingest.source set epoch = 0');
    await registry.readEpochs(pool);
  });

  it('settles superseded dead letters, selected or not', async () => {
    await ingest(pool, registry, [
      mentionChange('m1', 1, BROKEN),
      rejectedBefore('m1', 2, 'two'),
      rejectedBefore('m2', 3, 'three'),
    ]);
    const [, second] = (await letters('id::float8 as id')) as { id: number }[];
    expect(await replay({ ids: [second?.id ?? 0] })).toEqual(outcome({ replayed: 1 }));
    expect(await states(pool)).toEqual(['superseded@1', 'replayed@2', 'open@3']);
    expect(await storedMentions(pool)).toEqual({ m1: 'two' });
  });

  it('supersedes invalid dead letters older than what it applies', async () => {
    await ingest(pool, registry, [mentionChange('m1', 1, BROKEN), rejectedBefore('m1', 2, 'two')]);
    expect(await dryRun()).toEqual(['older 1', 'apply 1']);
    expect(await replay()).toEqual(outcome({ replayed: 1, superseded: 1 }));
  });

  it('marks the documents of applied rows dirty', async () => {
    await pool.query(
      `insert into projection.version (projection, state, code_version) values ('artist', 'building', 'f')`,
    );
    const kept = await pool.query('select id from projection.version');
    await ingest(pool, registry, [rejectedBefore('m1', 1, 'one')]);
    const before = await pool.query('select keys from projection.mark');
    await replay();
    const after = await pool.query<{ keys: string[] }>('select keys from projection.mark');
    await pool.query('delete from projection.version where id = $1', [kept.rows[0]?.id]);
    expect(before.rows).toEqual([]);
    expect(after.rows.flatMap(({ keys }) => keys)).toEqual([`artist:${'c1'.repeat(32)}`]);
  });

  it('runs in batches, each with an audit entry', async () => {
    const all = Array.from({ length: 650 }, (_, index) =>
      rejectedBefore(`m${index}`, index + 1, `title ${index}`),
    );
    await ingest(pool, registry, all);
    const progress: number[][] = [];
    const selector = { table: artistPressMentions.table };
    const onProgress = (done: number, total: number) => progress.push([done, total]);
    const done = await replayDeadLetters(pool, registry, {
      ...FAST,
      selector,
      target: 'source=x',
      onProgress,
    });
    expect(done).toEqual(outcome({ replayed: 650 }));
    expect(progress).toEqual([
      [300, 650],
      [600, 650],
      [650, 650],
    ]);
    const { rows } = await pool.query(
      `select actor, action, target, reason, jsonb_array_length(detail -> 'replayed') as replayed,
         detail -> 'open' as open, detail -> 'superseded' as superseded
       from operation.audit order by id`,
    );
    const entry = {
      actor: 'ada',
      action: 'dead-letters replay',
      target: 'source=x',
      reason: FAST.why,
      open: [],
      superseded: [],
    };
    expect(rows).toEqual([300, 300, 50].map((replayed) => ({ ...entry, replayed })));
    expect(Object.keys(await storedMentions(pool))).toHaveLength(650);
  });

  it('replays only the selected dead letters', async () => {
    const { rows } = await pool.query<{ since: Date; later: Date }>(
      `select now() as since, now() + interval '1 hour' as later`,
    );
    const [{ since, later } = { since: new Date(), later: new Date() }] = rows;
    const { table } = artistPressMentions;
    await ingest(pool, registry, [rejectedBefore('m1', 1, 'one'), rejectedBefore('m2', 2, 'two')]);
    const others: DeadLetterSelector[] = [
      { table: 'seen.festival' },
      { class: 'incomplete' },
      { key: 'm' },
      { since: later },
      { ids: [] },
    ];
    for (const selector of others) expect(await replay(selector)).toEqual(outcome({}));
    const selector: DeadLetterSelector = { table, class: 'contract', key: 'm2', since };
    expect(await replay(selector)).toEqual(outcome({ replayed: 1 }));
    expect(await states(pool)).toEqual(['open@1', 'replayed@2']);
  });
});

describe('two concurrent replays', () => {
  it('apply each dead letter once', async () => {
    const all = Array.from({ length: 900 }, (_, index) =>
      rejectedBefore(`m${index % 300}`, index + 1, `title ${index}`),
    );
    await ingest(pool, registry, all);
    const done = await Promise.all([replay(), replay(), replay({ key: 'm7' })]);
    const sum = (name: keyof ReplayCounts): number => done.reduce((total, one) => total + one[name], 0);
    expect([sum('replayed') + sum('superseded'), sum('open')]).toEqual([900, 0]);
    const { rows } = await pool.query(
      `select state, count(*)::int from ingest.dead_letter where state = 'open' group by state`,
    );
    expect(rows).toEqual([]);
    const expected = Array.from({ length: 300 }, (_, index) => [`m${index}`, `title ${600 + index}`]);
    expect(await storedMentions(pool)).toEqual(Object.fromEntries(expected));
  });

  it('skip keys that the other has locked', async () => {
    await ingest(pool, registry, [
      rejectedBefore('m1', 1, 'one'),
      rejectedBefore('m1', 2, 'two'),
      rejectedBefore('m2', 3, 'three'),
    ]);
    const other = await pool.connect();
    await other.query('begin');
    await other.query(`select pg_advisory_xact_lock($1, hashtext($2))`, [
      LOCKS.replay,
      `${registry.idOf(artistPressMentions)} m1`,
    ]);
    expect(await replay()).toEqual(outcome({ replayed: 1, elsewhere: 2 }));
    await other.query('rollback');
    other.release();
    expect(await states(pool)).toEqual(['open@1', 'open@2', 'replayed@3']);
    expect(await replay()).toEqual(outcome({ replayed: 2 }));
    expect(await storedMentions(pool)).toEqual({ m1: 'two', m2: 'three' });
  });

  it('skip dead letters that another session has locked', async () => {
    await ingest(pool, registry, [rejectedBefore('m1', 1, 'one'), rejectedBefore('m2', 2, 'two')]);
    const other = await pool.connect();
    await other.query('begin');
    await other.query(`select from ingest.dead_letter where key = 'm1' for update`);
    expect(await replay()).toEqual(outcome({ replayed: 1, elsewhere: 1 }));
    await other.query('rollback');
    other.release();
  });
});

describe('a replay concurrent with ingest', () => {
  it('ends with the newest version of each key', async () => {
    const KEYS = 60;
    const quarantined = Array.from({ length: KEYS * 2 }, (_, index) =>
      rejectedBefore(`m${index % KEYS}`, index + 1, 'quarantined'),
    );
    await ingest(pool, registry, quarantined);
    const batches = Array.from({ length: 6 }, (_, batch) =>
      Array.from({ length: 10 }, (_, index) =>
        mentionChange(
          `m${batch * 10 + index}`,
          1_000 + index,
          { title: 'streamed' },
          { offset: 1_000 + batch * 10 + index },
        ),
      ),
    );
    await Promise.all([
      replay(),
      ...batches.map((batch, index) => ingest(pool, registry, batch, { partition: index })),
    ]);
    expect(new Set(Object.values(await storedMentions(pool)))).toEqual(new Set(['streamed']));
    await replay();
    const { rows } = await pool.query(
      `select count(*)::int as open from ingest.dead_letter where state = 'open'`,
    );
    expect(rows).toEqual([{ open: 0 }]);
  });
});

describe('a dry run', () => {
  it('reports what a replay would do, by table and violation, and writes nothing', async () => {
    await ingest(pool, registry, [
      rejectedBefore('m1', 1, 'one'),
      rejectedBefore('m2', 2, 'two'),
      mentionChange('m3', 3, BROKEN),
      mentionChange('m4', 4, BROKEN),
      mentionChange('m5', 5, BROKEN),
      mentionChange('m6', 6, BROKEN),
      mentionChange('m7', 7, BROKEN),
      mentionChange('m7', 8),
    ]);
    const tables = ['ingest.dead_letter', 'ingest.mirror', 'ingest.source', 'operation.audit'];
    const contents = async () =>
      Promise.all(tables.map(async (table) => (await pool.query(`select *, xmin::text from ${table}`)).rows));
    const before = await contents();
    const lines = await dryRunReplay(pool, { table: artistPressMentions.table });
    expect(await contents()).toEqual(before);
    const ids = (before[0] as { id: string }[]).map(({ id }) => Number(id));
    const table = artistPressMentions.table;
    expect(lines).toEqual([
      { outcome: 'apply', table, violations: [], deadLetters: 2, samples: ids.slice(0, 2) },
      { outcome: 'again', table, violations: ['title: not_text'], deadLetters: 4, samples: ids.slice(2, 5) },
      { outcome: 'superseded', table, violations: [], deadLetters: 1, samples: [] },
    ]);
  });
});
