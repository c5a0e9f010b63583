import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOCKS } from '../../../db/locks.ts';
import { type Registry, registerSources } from '../../../projections/registry.ts';
import { artistPressMentions } from '../../../projections/sources/archive/artist-press-mentions.ts';
import {
  changeEvent,
  forgetAll,
  ingest,
  mentionEvent,
  refusedOnce,
  states,
  timeOf,
  titles,
  UNCHANGED,
} from '../../../test/letters.ts';
import { withDatabase } from '../../../test/services/database.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { snapshotVersion } from '../decode/version.ts';
import { previewReplay } from './preview-replay.ts';
import { type Replayed, replayLetters } from './replay-letters.ts';
import type { LetterSelector } from './select-letters.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => forgetAll(pool));

const BROKEN = { title: 12 };
const FAST = { ratePerSecond: 1_000_000, actor: 'ada', why: 'the contract was mended', target: 'all' };

const replay = (selector: LetterSelector = {}): Promise<Replayed> =>
  replayLetters(pool, registry, { ...FAST, selector });

const outcome = (counts: Partial<Replayed>): Replayed => ({
  replayed: 0,
  superseded: 0,
  open: 0,
  elsewhere: 0,
  ...counts,
});

const mended = (id: string, lsn: number, title: string, offset = lsn): DecodedRecord =>
  refusedOnce(mentionEvent(id, lsn, { title }, { offset }), registry);

async function letters(columns: string): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select ${columns} from ingest.dead_letter order by partition, record_offset`,
  );
  return rows;
}

/** What the preview says, as `outcome letters violations`. */
async function preview(selector: LetterSelector = {}): Promise<string[]> {
  const lines = await previewReplay(pool, selector);
  return lines.map(({ outcome, letters, violations }) => [outcome, letters, ...violations].join(' '));
}

describe('a replay', () => {
  it('applies what keeps to its contract now, and says who settled it and why', async () => {
    await ingest(pool, registry, [mended('m1', 1, 'one'), mentionEvent('m2', 2)]);
    expect(await preview()).toEqual(['apply 1']);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await titles(pool)).toEqual({ m1: 'one', m2: 'title 1' });
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
    expect(await preview()).toEqual(['replayed 1']);
    expect(await replay()).toEqual(outcome({}));
  });

  it('leaves open what is still at fault, with the violations of now', async () => {
    await ingest(pool, registry, [
      refusedOnce(mentionEvent('m1', 1, { url: 12 }), registry),
      { ...mentionEvent('m2', 2), value: Buffer.from([0x7b, 0x00, 0xff]) },
      mentionEvent('m3', 3, { title: UNCHANGED }),
    ]);
    expect(await preview()).toEqual([
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
    expect(await titles(pool)).toEqual({});
  });

  it('never brings an older row back', async () => {
    // Without a version in the letter, nothing settles it when the newer row comes from elsewhere.
    await ingest(pool, registry, [refusedOnce(mentionEvent('m1', 4, { title: 'old' }), registry, 'version')]);
    await ingest(pool, registry, [mentionEvent('m1', 5, { title: 'new' })], 1);
    await ingest(pool, registry, [refusedOnce(mentionEvent('m2', 6, BROKEN), registry, 'version')]);
    await ingest(pool, registry, [mentionEvent('m2', 7, { title: 'new' })], 1);
    expect(await states(pool)).toEqual(['open@4', 'open@6']);
    expect(await preview()).toEqual(['older 2']);
    expect(await replay()).toEqual(outcome({ superseded: 2 }));
    expect(await titles(pool)).toEqual({ m1: 'new', m2: 'new' });
    expect(await preview()).toEqual(['superseded 2']);
  });

  it('applies a key in the order of its versions, whatever the order of arrival', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1, { title: 'one', outlet: 'A' })]);
    await ingest(pool, registry, [
      refusedOnce(mentionEvent('m1', 3, { title: UNCHANGED, outlet: 'C' }), registry),
    ]);
    await ingest(pool, registry, [mended('m1', 2, 'two', 9)], 1);
    expect(await preview()).toEqual(['apply 2']);
    expect(await replay()).toEqual(outcome({ replayed: 2 }));
    const { rows } = await pool.query(
      `select row::jsonb -> 'title' as title, row::jsonb -> 'outlet' as outlet from ingest.mirror`,
    );
    expect(rows).toEqual([{ title: 'two', outlet: 'C' }]);
  });

  it('completes what was left out when the whole row has come', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 5, { title: UNCHANGED, outlet: 'new' })]);
    await ingest(pool, registry, [mentionEvent('m1', 4, { title: 'whole' })], 1);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    const { rows } = await pool.query(
      `select row::jsonb -> 'title' as title, row::jsonb -> 'outlet' as outlet from ingest.mirror`,
    );
    expect(rows).toEqual([{ title: 'whole', outlet: 'new' }]);
  });

  it('does not bring back what a lone tombstone has removed since', async () => {
    const tombstone = mentionEvent('m1', 3, {}, { op: 'tombstone' });
    // Nothing is known of the letter that the tombstone could be compared with.
    await ingest(pool, registry, [refusedOnce(mentionEvent('m1', 2), registry, 'source')]);
    await ingest(pool, registry, [tombstone, refusedOnce(mentionEvent('m2', 4), registry, 'source')]);
    expect(await states(pool)).toEqual(['open@2', 'open@4']);
    expect(await preview()).toEqual(['older 1', 'apply 1']);
    expect(await replay()).toEqual(outcome({ replayed: 1, superseded: 1 }));
    expect(await titles(pool)).toEqual({ m1: null, m2: 'title 1' });
  });

  it('brings back what was written after a tombstone', async () => {
    await ingest(pool, registry, [
      mentionEvent('m1', 1),
      mentionEvent('m1', 2, {}, { op: 'tombstone' }),
      mended('m1', 3, 'again'),
    ]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await titles(pool)).toEqual({ m1: 'again' });
  });

  it('takes deletes by the bytes of their key, and truncates', async () => {
    await ingest(
      pool,
      registry,
      [1, 2, 3].map((lsn) => mentionEvent(`m${lsn}`, lsn)),
    );
    await ingest(pool, registry, [refusedOnce(mentionEvent('m1', 5, {}, { op: 'd' }), registry, 'key')]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await titles(pool)).toEqual({ m1: null, m2: 'title 1', m3: 'title 1' });
    await ingest(pool, registry, [
      mentionEvent('m3', 8, { title: 'after' }),
      refusedOnce(changeEvent({ op: 't', lsn: 7 }), registry),
    ]);
    expect(await preview({ table: artistPressMentions.table, class: 'contract' })).toEqual([
      'apply 1',
      'replayed 1',
    ]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await titles(pool)).toEqual({ m3: 'after' });
  });

  it('finds the source of a table that was unknown', async () => {
    await ingest(pool, registry, [refusedOnce(mentionEvent('m1', 1, { title: 'one' }), registry, 'source')]);
    await ingest(pool, registry, [refusedOnce(mentionEvent('m2', 2, BROKEN), registry, 'source')]);
    await ingest(pool, registry, [{ ...mentionEvent('m3', 3), topic: 'producers.seen.unheard_of' }], 1);
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
    expect(await titles(pool)).toEqual({ m1: 'one' });
  });

  it('sends a line of a snapshot as of the time of the snapshot', async () => {
    const line = (id: string, offset: number): DecodedRecord => {
      const { after } = JSON.parse(String(mentionEvent(id, 1, { title: 'line' }).value));
      const value = JSON.stringify(after);
      const { table } = artistPressMentions;
      const record = { topic: table, key: null, value, headers: {}, offset, timestamp: null };
      return refusedOnce({ ...record, snapshotTimeMs: timeOf(50) }, registry, 'source');
    };
    const source = artistPressMentions;
    const lines = [line('m1', 0), line('m2', 1)].map(({ record, decoded }) => ({
      record,
      decoded: { ...decoded, source, table: source.table, version: snapshotVersion(0, timeOf(50)) },
    }));
    await ingest(pool, registry, lines as DecodedRecord[]);
    await ingest(pool, registry, [mentionEvent('m1', 2, { title: 'streamed' })], 1);
    expect(await replay()).toEqual(outcome({ replayed: 1, superseded: 1 }));
    expect(await titles(pool)).toEqual({ m1: 'streamed', m2: 'line' });
    const { rows } = await pool.query(`select version, source_time from ingest.mirror where key = 'm2'`);
    expect(rows).toEqual([{ version: snapshotVersion(0, timeOf(50)), source_time: new Date(timeOf(50)) }]);
  });

  it('does nothing with letters of an epoch that is over', async () => {
    await ingest(pool, registry, [mended('m1', 90, 'before')]);
    await pool.query('update ingest.source set epoch = 1');
    expect(await preview()).toEqual(['older 1']);
    expect(await replay()).toEqual(outcome({ superseded: 1 }));
    expect(await titles(pool)).toEqual({});
    await ingest(pool, registry, [mended('m1', 1, 'after')]);
    expect(await replay()).toEqual(outcome({ replayed: 1 }));
    expect(await titles(pool)).toEqual({ m1: 'after' });
    await pool.query('update ingest.source set epoch = 0');
    await registry.readEpochs(pool);
  });

  it('settles what it overtakes, chosen or not', async () => {
    await ingest(pool, registry, [
      mentionEvent('m1', 1, BROKEN),
      mended('m1', 2, 'two'),
      mended('m2', 3, 'three'),
    ]);
    const [, second] = (await letters('id::float8 as id')) as { id: number }[];
    expect(await replay({ ids: [second?.id ?? 0] })).toEqual(outcome({ replayed: 1 }));
    expect(await states(pool)).toEqual(['superseded@1', 'replayed@2', 'open@3']);
    expect(await titles(pool)).toEqual({ m1: 'two' });
  });

  it('settles what stays at fault but is older than what it applies', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 1, BROKEN), mended('m1', 2, 'two')]);
    expect(await preview()).toEqual(['older 1', 'apply 1']);
    expect(await replay()).toEqual(outcome({ replayed: 1, superseded: 1 }));
  });

  it('marks the documents of what it applies', async () => {
    await pool.query(
      `insert into projection.version (projection, state, fingerprint) values ('artist', 'building', 'f')`,
    );
    const kept = await pool.query('select id from projection.version');
    await ingest(pool, registry, [mended('m1', 1, 'one')]);
    const before = await pool.query('select keys from projection.mark');
    await replay();
    const after = await pool.query<{ keys: string[] }>('select keys from projection.mark');
    await pool.query('delete from projection.version where id = $1', [kept.rows[0]?.id]);
    expect(before.rows).toEqual([]);
    expect(after.rows.flatMap(({ keys }) => keys)).toEqual([`artist:${'c1'.repeat(32)}`]);
  });

  it('goes in portions, each written into the audit', async () => {
    const all = Array.from({ length: 650 }, (_, index) => mended(`m${index}`, index + 1, `title ${index}`));
    await ingest(pool, registry, all);
    const told: number[][] = [];
    const selector = { table: artistPressMentions.table };
    const onProgress = (done: number, total: number) => told.push([done, total]);
    const done = await replayLetters(pool, registry, { ...FAST, selector, target: 'source=x', onProgress });
    expect(done).toEqual(outcome({ replayed: 650 }));
    expect(told).toEqual([
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
    expect(Object.keys(await titles(pool))).toHaveLength(650);
  });

  it('takes only the letters that are meant', async () => {
    const { rows } = await pool.query<{ since: Date; later: Date }>(
      `select now() as since, now() + interval '1 hour' as later`,
    );
    const [{ since, later } = { since: new Date(), later: new Date() }] = rows;
    const { table } = artistPressMentions;
    await ingest(pool, registry, [mended('m1', 1, 'one'), mended('m2', 2, 'two')]);
    const others: LetterSelector[] = [
      { table: 'seen.festival' },
      { class: 'incomplete' },
      { key: 'm' },
      { since: later },
      { ids: [] },
    ];
    for (const selector of others) expect(await replay(selector)).toEqual(outcome({}));
    const selector: LetterSelector = { table, class: 'contract', key: 'm2', since };
    expect(await replay(selector)).toEqual(outcome({ replayed: 1 }));
    expect(await states(pool)).toEqual(['open@1', 'replayed@2']);
  });
});

describe('two replays at once', () => {
  it('apply each letter once', async () => {
    const all = Array.from({ length: 900 }, (_, index) =>
      mended(`m${index % 300}`, index + 1, `title ${index}`),
    );
    await ingest(pool, registry, all);
    const done = await Promise.all([replay(), replay(), replay({ key: 'm7' })]);
    const sum = (name: keyof Replayed): number => done.reduce((total, one) => total + one[name], 0);
    expect([sum('replayed') + sum('superseded'), sum('open')]).toEqual([900, 0]);
    const { rows } = await pool.query(
      `select state, count(*)::int from ingest.dead_letter where state = 'open' group by state`,
    );
    expect(rows).toEqual([]);
    const expected = Array.from({ length: 300 }, (_, index) => [`m${index}`, `title ${600 + index}`]);
    expect(await titles(pool)).toEqual(Object.fromEntries(expected));
  });

  it('leave each other the keys in hand', async () => {
    await ingest(pool, registry, [mended('m1', 1, 'one'), mended('m1', 2, 'two'), mended('m2', 3, 'three')]);
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
    expect(await titles(pool)).toEqual({ m1: 'two', m2: 'three' });
  });

  it('leave what someone else holds', async () => {
    await ingest(pool, registry, [mended('m1', 1, 'one'), mended('m2', 2, 'two')]);
    const other = await pool.connect();
    await other.query('begin');
    await other.query(`select from ingest.dead_letter where key = 'm1' for update`);
    expect(await replay()).toEqual(outcome({ replayed: 1, elsewhere: 1 }));
    await other.query('rollback');
    other.release();
  });
});

describe('a replay beside ingest', () => {
  it('ends with the newest version of each key', async () => {
    const KEYS = 60;
    const parked = Array.from({ length: KEYS * 2 }, (_, index) =>
      mended(`m${index % KEYS}`, index + 1, 'parked'),
    );
    await ingest(pool, registry, parked);
    const batches = Array.from({ length: 6 }, (_, batch) =>
      Array.from({ length: 10 }, (_, index) =>
        mentionEvent(
          `m${batch * 10 + index}`,
          1_000 + index,
          { title: 'streamed' },
          { offset: 1_000 + batch * 10 + index },
        ),
      ),
    );
    await Promise.all([replay(), ...batches.map((batch, index) => ingest(pool, registry, batch, index))]);
    expect(new Set(Object.values(await titles(pool)))).toEqual(new Set(['streamed']));
    await replay();
    const { rows } = await pool.query(
      `select count(*)::int as open from ingest.dead_letter where state = 'open'`,
    );
    expect(rows).toEqual([{ open: 0 }]);
  });
});

describe('a preview', () => {
  it('tells what a replay would do, by table and violation, and writes nothing', async () => {
    await ingest(pool, registry, [
      mended('m1', 1, 'one'),
      mended('m2', 2, 'two'),
      mentionEvent('m3', 3, BROKEN),
      mentionEvent('m4', 4, BROKEN),
      mentionEvent('m5', 5, BROKEN),
      mentionEvent('m6', 6, BROKEN),
      mentionEvent('m7', 7, BROKEN),
      mentionEvent('m7', 8),
    ]);
    const tables = ['ingest.dead_letter', 'ingest.mirror', 'ingest.source', 'operation.audit'];
    const contents = async () =>
      Promise.all(tables.map(async (table) => (await pool.query(`select *, xmin::text from ${table}`)).rows));
    const before = await contents();
    const lines = await previewReplay(pool, { table: artistPressMentions.table });
    expect(await contents()).toEqual(before);
    const ids = (before[0] as { id: string }[]).map(({ id }) => Number(id));
    const table = artistPressMentions.table;
    expect(lines).toEqual([
      { outcome: 'apply', table, violations: [], letters: 2, samples: ids.slice(0, 2) },
      { outcome: 'again', table, violations: ['title: not_text'], letters: 4, samples: ids.slice(2, 5) },
      { outcome: 'superseded', table, violations: [], letters: 1, samples: [] },
    ]);
  });
});
