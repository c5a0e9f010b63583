import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liveDemand } from '../../../projections/contracts/seen/live-demand.ts';
import { readFreshness } from '../../../projections/engine/freshness/read-freshness.ts';
import {
  readSourceColumns,
  readTroubledColumns,
} from '../../../projections/engine/freshness/source-columns.ts';
import { readLastSeen, staleSources } from '../../../projections/engine/freshness/stale-sources.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { changeRecord, clearIngest, decodedRecord } from '../../../test/support/ingest/dead-letters.ts';
import {
  type Cells,
  type SentRow,
  sendRow,
  withoutColumns,
  withRenamed,
} from '../../../test/support/ingest/send-row.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { clearColumn } from './clear-column.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
const source = liveDemand;
const NULLABLE = 'max_sold_out_lead_days';
const REQUIRED = 'events_tracked';
let registry: Registry;
let demand: number;
let next: number;

beforeAll(async () => {
  registry = await registerSources(pool);
  demand = registry.idOf(source);
});
beforeEach(async () => {
  await clearIngest(pool);
  // Another process: it has no memory of columns.
  registry = await registerSources(pool);
  next = 0;
});

const ID = 'ab'.repeat(32);
const FULL: Cells = { ...rowsOf(source, {}).rows[0], cluster_id: ID };

/** The next row of the log, unless it has a position. */
function send({
  after,
  lsn,
  ...sent
}: { after: Cells; lsn?: number } & Pick<SentRow, 'types' | 'partition'>) {
  const offset = next++;
  return sendRow(pool, registry, { source, row: after, lsn: lsn ?? 1_000 + offset, offset, ...sent });
}

const changesOf = async (sent: Parameters<typeof send>[0]) => (await send(sent)).columns?.changes ?? [];
const troubles = async () =>
  (await readTroubledColumns(pool)).map(({ column, problem }) => `${column.name} ${problem}`);
const state = async () =>
  (await readFreshness(pool, [], Date.now())).sources.find((one) => one.source === source.table)?.state;
const isStale = async () => staleSources(await readLastSeen(pool), registry, Date.now()).has(demand);
const storedRow = async () =>
  JSON.parse((await pool.query('select row from ingest.mirror')).rows[0].row) as Record<string, unknown>;

describe('the columns that records show', () => {
  it('are stored with the first record, which is no change', async () => {
    expect(await changesOf({ after: FULL })).toEqual([]);
    const columns = await readSourceColumns(pool, demand);
    expect(columns.map(({ name }) => name).sort()).toEqual(Object.keys(FULL).sort());
    expect(columns.find(({ name }) => name === 'events_sold_out')?.type).toBe('JSON number');
    expect([await troubles(), await state(), await isStale()]).toEqual([[], 'fresh', false]);
  });

  it.each([
    ['a zero byte', { ...FULL, 'a\0': 1 }],
    ['half of a character', { ...FULL, '\ud800': 1 }],
    ['no end', { ...FULL, ...Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`x${at}`, 1])) }],
  ])('are not stored if their names have %s, and the partition goes on', async (_, after) => {
    await send({ after });
    expect(await readSourceColumns(pool, demand)).toEqual([]);
    await send({ after: FULL });
    expect(await storedRow()).toMatchObject({ cluster_id: ID });
  });

  it('cost no statement while they stay', async () => {
    await send({ after: FULL });
    await send({ after: FULL });
    const before = await pool.query('select xmin from ingest.source_column');
    await pool.query('update ingest.source_column set type = null');
    await send({ after: FULL });
    const { rows } = await pool.query('select count(type)::int as types from ingest.source_column');
    expect([rows[0].types, before.rowCount]).toEqual([0, Object.keys(FULL).length]);
  });

  it('say that a nullable column was dropped: warn and stale, until it is back', async () => {
    await send({ after: FULL });
    expect(await changesOf({ after: withoutColumns(FULL, NULLABLE) })).toMatchObject([
      { kind: 'dropped', name: NULLABLE },
    ]);
    expect([await troubles(), await state(), await isStale()]).toEqual([[`${NULLABLE} stale`], 'warn', true]);
    expect(await changesOf({ after: withoutColumns(FULL, NULLABLE) })).toEqual([]);
    expect(await changesOf({ after: FULL })).toMatchObject([{ kind: 'added', name: NULLABLE }]);
    expect([await troubles(), await state(), await isStale()]).toEqual([[], 'fresh', false]);
  });

  it('say that a required column was dropped: an error, because rows fail', async () => {
    await send({ after: FULL });
    const { deadLetters, columns } = await send({ after: withoutColumns(FULL, REQUIRED) });
    expect(deadLetters).toBe(1);
    expect(columns?.changes).toMatchObject([{ kind: 'dropped', name: REQUIRED }]);
    expect([await troubles(), await state(), await isStale()]).toEqual([
      [`${REQUIRED} failing`],
      'error',
      true,
    ]);
  });

  it('say that the first record already lacks a required column', async () => {
    await pool.query('update ingest.source set newest_change_at = null');
    await send({ after: withoutColumns(FULL, REQUIRED) });
    expect([await troubles(), await state()]).toEqual([[`${REQUIRED} failing`], 'error']);
  });

  it('say what may be a rename, and an added column, which harms nothing', async () => {
    await send({ after: FULL });
    expect(await changesOf({ after: { ...FULL, note: 'x' } })).toEqual([
      { kind: 'added', name: 'note', before: null, after: 'JSON string' },
    ]);
    expect([await troubles(), await state()]).toEqual([[], 'fresh']);
    expect(await changesOf({ after: withRenamed({ ...FULL, note: 'x' }, NULLABLE, 'newer') })).toEqual([
      { kind: 'renamed', name: NULLABLE, before: NULLABLE, after: 'newer' },
    ]);
    const dropped = (await readSourceColumns(pool, demand)).find(({ name }) => name === NULLABLE);
    expect(dropped).toMatchObject({ renamedTo: 'newer' });
    expect(await troubles()).toEqual([`${NULLABLE} stale`]);
  });

  it('say that a type changed, and fail with the first row that it breaks', async () => {
    await send({ after: FULL });
    expect(await changesOf({ after: { ...FULL, events_sold_out: '7' } })).toEqual([
      { kind: 'type_changed', name: 'events_sold_out', before: 'JSON number', after: 'JSON string' },
    ]);
    expect([await troubles(), await state()]).toEqual([[], 'fresh']);
    await send({ after: { ...FULL, events_sold_out: 'seven' } });
    await send({ after: { ...FULL, events_sold_out: 'seven' } });
    expect([await troubles(), await state()]).toEqual([['events_sold_out failing'], 'error']);
  });

  it('do not change again and again where a producer mixes two kinds of values', async () => {
    await send({ after: FULL });
    await send({ after: { ...FULL, events_sold_out: '7' } });
    for (const events_sold_out of [8, '9', 10, '11'])
      expect(await changesOf({ after: { ...FULL, events_sold_out } })).toEqual([]);
  });

  it('warn of a declared type that no value could be read from, before a row has a value', async () => {
    const types = { [NULLABLE]: { type: 'int64' } };
    await send({ after: { ...FULL, [NULLABLE]: null }, types });
    const changed = { [NULLABLE]: { type: 'boolean' } };
    expect(await changesOf({ after: { ...FULL, [NULLABLE]: null }, types: changed })).toEqual([
      { kind: 'type_changed', name: NULLABLE, before: 'int64 or null', after: 'boolean or null' },
    ]);
    expect([await troubles(), await state()]).toEqual([[`${NULLABLE} unreadable`], 'warn']);
    await send({ after: { ...FULL, [NULLABLE]: true }, types: changed });
    expect([await troubles(), await state()]).toEqual([[`${NULLABLE} failing`], 'error']);
    await send({ after: FULL, types });
    expect([await troubles(), await state()]).toEqual([[], 'fresh']);
  });

  it('warn of a required column that a schema declares nullable now', async () => {
    await send({ after: FULL, types: { [REQUIRED]: { optional: false } } });
    await send({ after: FULL, types: { [REQUIRED]: { optional: true } } });
    expect(await troubles()).toEqual([`${REQUIRED} may_be_null`]);
  });

  it('do not follow a connector that begins to send its schema', async () => {
    await send({ after: FULL });
    expect(await changesOf({ after: FULL, types: { events_sold_out: { type: 'int64' } } })).toEqual([]);
  });

  it('are those of the newest record, whatever older ones are read later', async () => {
    await send({ after: FULL, lsn: 100 });
    await send({ after: withoutColumns(FULL, NULLABLE), lsn: 300, partition: 1 });
    expect(await changesOf({ after: FULL, lsn: 200 })).toEqual([]);
    expect(await troubles()).toEqual([`${NULLABLE} stale`]);
    registry = await registerSources(pool);
    expect(await changesOf({ after: FULL, lsn: 100 })).toEqual([]);
    expect(await changesOf({ after: FULL, lsn: 301 })).toMatchObject([{ kind: 'added' }]);
  });

  it('do not stop with a rejected record at an implausible position', async () => {
    await send({ after: FULL });
    await send({ after: withoutColumns(FULL, REQUIRED), lsn: 10 ** 15 });
    expect(await troubles()).toEqual([`${REQUIRED} failing`]);
    expect(await changesOf({ after: FULL })).toMatchObject([{ kind: 'added', name: REQUIRED }]);
  });

  it('are not those of a file', async () => {
    await send({ after: FULL });
    const record = changeRecord({ source, key: { cluster_id: ID }, lsn: 5_000 });
    const value = JSON.parse(String(record.value));
    value.after = withoutColumns(FULL, NULLABLE);
    await ingestBatch(pool, registry, {
      topicPartition: { group: 'changes', topic: 'f', partition: 0 },
      records: [decodedRecord({ ...record, value: JSON.stringify(value) }, registry)],
      from: null,
      to: 1,
    });
    expect(await troubles()).toEqual([]);
  });

  it('are stored once, though the batch that showed them was rolled back', async () => {
    await send({ after: FULL });
    await pool.query(`create function lost() returns trigger language plpgsql as $$ begin raise 'lost'; end $$;
      create trigger lost after insert on ingest.column_change execute function lost()`);
    try {
      await expect(send({ after: withoutColumns(FULL, NULLABLE) })).rejects.toThrow('lost');
    } finally {
      await pool.query('drop function lost cascade');
    }
    expect(await troubles()).toEqual([]);
    expect(await changesOf({ after: withoutColumns(FULL, NULLABLE) })).toHaveLength(1);
  });
});

describe('clearing a dropped column', () => {
  const clear = (column: string, isForced = false) =>
    clearColumn(pool, registry, { source, column, isForced, actor: 'a', why: 'gone' });

  it('removes its last values, and the source is no longer stale', async () => {
    await send({ after: { ...FULL, [NULLABLE]: 3 } });
    const { rows: before } = await pool.query('select version, source_time, changed_time from ingest.mirror');
    await dropFromAnotherRow();
    expect((await storedRow())[NULLABLE]).toBe(3);
    expect(await clear(NULLABLE)).toBe(1);
    const { rows: after } = await pool.query(
      'select version, source_time, changed_time from ingest.mirror where key like $1',
      [`%${ID}%`],
    );
    expect(after[0]).toMatchObject({ version: before[0].version, source_time: before[0].source_time });
    expect(after[0].changed_time.getTime()).toBeGreaterThan(before[0].changed_time.getTime());
    expect((await storedRow())[NULLABLE]).toBeNull();
    expect([await troubles(), await isStale()]).toEqual([[], false]);
    expect(await clear(NULLABLE)).toBe(0);
  });

  it('refuses a column that is still sent, one that no log has shown, and a required one', async () => {
    await expect(clear(NULLABLE)).rejects.toThrow('no record from a log');
    await send({ after: FULL });
    await expect(clear(NULLABLE)).rejects.toThrow('is still sent');
    await expect(clear(REQUIRED, true)).rejects.toThrow('its contract requires it');
    expect(await clear(NULLABLE, true)).toBeLessThan(2);
  });

  it('removes a column that the contract does not have', async () => {
    await send({ after: { ...FULL, former: 'x' } });
    await dropFromAnotherRow('former');
    expect(await clear('former')).toBe(1);
    expect(await storedRow()).not.toHaveProperty('former');
  });

  it('marks the documents of the cleared rows dirty, and is in the audit trail', async () => {
    await send({ after: { ...FULL, [NULLABLE]: 3 } });
    await dropFromAnotherRow();
    await pool.query(
      `insert into projection.version (projection, state, code_version, reads) values ('artist', 'live', 'v', null)`,
    );
    await clear(NULLABLE);
    const { rows } = await pool.query('select keys from projection.mark');
    expect(rows.flatMap(({ keys }) => keys)).toEqual([`artist:${ID}`]);
    const { rows: audit } = await pool.query(
      'select action, target, reason, detail from operation.audit order by id',
    );
    expect(audit).toEqual([
      {
        action: 'sources clear',
        target: source.table,
        reason: 'gone',
        detail: { column: NULLABLE, isForced: false },
      },
      {
        action: 'sources clear',
        target: source.table,
        reason: 'gone',
        detail: { column: NULLABLE, rows: 1 },
      },
    ]);
  });

  it('stays cleared when the last change of a row is read again', async () => {
    await send({ after: { ...FULL, [NULLABLE]: 3 }, lsn: 100 });
    await dropFromAnotherRow();
    await clear(NULLABLE);
    expect(await send({ after: { ...FULL, [NULLABLE]: 3 }, lsn: 100 })).toMatchObject({
      equal: 1,
      changed: 0,
    });
    expect((await storedRow())[NULLABLE]).toBeNull();
  });

  /** The row with the value is not written again. */
  const dropFromAnotherRow = (column = NULLABLE) =>
    send({ after: { ...withoutColumns(FULL, column), cluster_id: 'cd'.repeat(32) } });
});
