import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { randomFrom } from '../faults/random.ts';
import { runOps } from '../support/run-ops.ts';
import { lockWaiters } from '../support/services/lock-waiters.ts';
import type { Connector } from './connector.ts';
import { insertRows, type ProducerTable, sampleRows } from './producer-table.ts';
import { randomStatements } from './random-changes.ts';
import { type DebeziumStage, openStage } from './stage.ts';
import { tables } from './tables.ts';
import { readTopics } from './topic-log.ts';

const ROWS = 120;
const SEED = 1;
const TRANSACTIONS = 60;

const tableOf = (name: string) => tables.find(({ source }) => source.table === name) as ProducerTable;
const master = tableOf('catalog.master');
const demand = tableOf('seen.live_demand');
const entity = tableOf('seen.performing_entity');
const champion = tableOf('seen.dj_champion');
const festival = tableOf('seen.festival');

describe('a producer with Debezium', () => {
  const random = randomFrom(SEED);
  let stage: DebeziumStage;
  let main: Connector;

  beforeAll(async () => {
    stage = await openStage(tables);
    for (const table of tables) await insertRows(stage.producer, table, sampleRows(table.source, 0, ROWS));
    await Promise.all([stage.start('ingest'), stage.start('project')]);
  });

  afterAll(() => stage?.stop());

  async function inTransaction(run: (client: PoolClient) => Promise<unknown>): Promise<void> {
    const client = await stage.producer.connect();
    try {
      await client.query('begin');
      await run(client);
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  async function countRows(): Promise<number> {
    const counts = tables.map(({ source }) => `select count(*) from ${source.table}`).join(' union all ');
    const { rows } = await stage.producer.query(`select sum(count)::int4 as rows from (${counts}) t`);
    return rows[0].rows;
  }

  async function change(transactions: number): Promise<void> {
    for (let done = 0; done < transactions; done++) {
      await inTransaction(async (client) => {
        for (const sql of randomStatements(random, tables)) await client.query(sql);
        if (random.below(10) === 0) await client.query('rollback; begin');
      });
    }
  }

  it('brings the rows of a snapshot', async () => {
    main = await stage.addConnector('main', tables);
    await stage.check();
  });

  it('streams inserts, updates, deletes and changed keys', async () => {
    for (const table of tables)
      await insertRows(stage.producer, table, sampleRows(table.source, ROWS, ROWS + 20));
    await change(TRANSACTIONS);
    await stage.check();
  });

  it('continues after a restart of the connector, and after changes while it was stopped', async () => {
    await change(5);
    await main.restart();
    await change(5);
    await main.stop();
    await change(5);
    await main.resume();
    await stage.check();
  });

  it('keeps large values that an update left out', async () => {
    await stage.producer.query(
      `update catalog.master set title = (select string_agg(md5(random()::text || n), '') from generate_series(1, 150) n),
         tracklist = (select jsonb_agg(jsonb_build_object('title', md5(random()::text || n))) from generate_series(1, 200) n)
       where master_id in (select master_id from catalog.master order by 1 limit 20)`,
    );
    for (let times = 0; times < 2; times++)
      await stage.producer.query('update catalog.master set release_count = coalesce(release_count, 0) + 1');
    await stage.check();
    const records = await readTopics(stage.kafka.address, [stage.topicOf(master)]);
    expect(
      records.filter(({ value }) => value?.includes('__debezium_unavailable_value')).length,
    ).toBeGreaterThan(20);
  });

  it('follows truncates, alone and among other changes', async () => {
    await stage.producer.query(`create table kept as select * from seen.dj_champion`);
    await stage.producer.query('truncate seen.dj_champion');
    await stage.check([champion]);
    await stage.producer.query('insert into seen.dj_champion select * from kept');
    await inTransaction(async (client) => {
      await client.query('update seen.dj_champion set plays = plays + 1');
      await client.query('truncate seen.dj_champion');
      await client.query('insert into seen.dj_champion select * from kept limit 50');
    });
    await inTransaction((client) => client.query('truncate seen.festival; rollback; begin'));
    await stage.check();
  });

  it('takes a snapshot again, also when Connect is killed in its middle', async () => {
    await main.stop();
    await stage.untilSlotIsFree(main);
    await stage.change(main, { 'snapshot.mode': 'always' });
    await stage.producer.query('update seen.live_demand set events_tracked = events_tracked + 7');
    await insertRows(stage.producer, demand, sampleRows(demand.source, 200, 220));
    const before = await stage.countRecords();
    await inTransaction(async (client) => {
      // The last table of the snapshot.
      await client.query('lock table seen.live_demand in access exclusive mode');
      await main.resume();
      await expect.poll(() => lockWaiters(stage.producer)).toBe(1);
      await expect.poll(() => stage.countRecords()).toBeGreaterThan(before);
      await stage.worker.kill();
      await client.query('update seen.live_demand set events_tracked = events_tracked + 7');
    });
    await stage.worker.start();
    await stage.settle();
    await change(10);
    await stage.check();
  });

  it('has met every kind of record', async () => {
    const records = await readTopics(stage.kafka.address, tables.map(stage.topicOf));
    const kinds = records.map(({ value }) => (value === null ? 'tombstone' : JSON.parse(value).op));
    expect(new Set(kinds)).toEqual(new Set(['r', 'c', 'u', 'd', 't', 'tombstone']));
    const headers = new Set(records.flatMap((record) => record.headers));
    expect([...headers]).toEqual(expect.arrayContaining(['__debezium.newkey', '__debezium.oldkey']));
  });

  it('leaves the documents that a rebuild makes', () => stage.checkDocuments());

  describe('of a transaction that is open over a snapshot', () => {
    it('the change arrives after the row, at a lower log position', async () => {
      const before = await stage.countRecords();
      await inTransaction(async (client) => {
        await client.query('update seen.live_demand set events_tracked = events_tracked + 100');
        await main.stop();
        await stage.untilSlotIsFree(main);
        await main.resume();
        // Another commit in between would give the change a later commit in its sequence.
        await expect.poll(() => stage.countRecords()).toBe(before + (await countRows()));
      });
      await stage.settle();
      const records = await readTopics(stage.kafka.address, [stage.topicOf(demand)]);
      const ends = [...Map.groupBy(records, ({ key }) => key).values()]
        .map((all) => all.slice(-2).map(({ value }) => JSON.parse(value ?? 'null')))
        .filter(([, last]) => last !== null);
      expect(ends.map(([row, last]) => [row.op, last.op])).toEqual(ends.map(() => ['r', 'u']));
      // Debezium reads how far the log was written, which may be less than what the transaction had put into it.
      expect(ends.filter(([row, last]) => last.source.lsn < row.source.lsn)).not.toEqual([]);
    });

    it('the change is applied', () => stage.expectSame(demand));
  });

  describe('of rows that were deleted while the connector was down', () => {
    let festivals: number;

    it('a snapshot taken again says nothing', async () => {
      await main.stop();
      await stage.untilSlotIsFree(main);
      festivals = (await stage.producer.query('select from seen.festival')).rowCount ?? 0;
      const { rows } = await stage.producer.query(
        `with emptied as (delete from seen.festival)
         delete from seen.performing_entity where ctid = any(array(select ctid from seen.performing_entity limit 5))
         returning encode(cluster_id, 'base64') as id`,
      );
      const before = await stage.countRecords();
      await main.resume();
      await stage.settle();
      const records = await readTopics(stage.kafka.address, [stage.topicOf(entity)]);
      expect(await stage.countRecords()).toBeGreaterThan(before);
      const deleted = records.filter(({ value }) => value === null);
      expect(deleted.filter(({ key }) => rows.some(({ id }) => key?.includes(id)))).toEqual([]);
    });

    it('they are gone here too', () => stage.expectSame(entity));

    it('an emptied table is empty here too', () => stage.expectSame(festival));

    it('no other row is', async () => {
      const { rows } = await stage.mirror.query(
        `select target, (detail ->> 'removed')::int4 as removed from operation.audit where action = 'sweep' order by 1`,
      );
      expect(rows).toEqual([
        { target: festival.source.table, removed: festivals },
        { target: entity.source.table, removed: 5 },
      ]);
      await stage.check(tables.filter((table) => table !== master));
    });
  });

  describe('of a row whose key changes beside a large value', () => {
    it('the large value does not arrive', async () => {
      await stage.producer.query(
        'update catalog.master set master_id = master_id + 2000000000 where length(title) > 4000',
      );
      await stage.settle();
      const records = await readTopics(stage.kafka.address, [stage.topicOf(master)]);
      const created = records.filter(({ value }) => value !== null && JSON.parse(value).op === 'c');
      expect(created.filter(({ value }) => value?.includes('__debezium_unavailable_value'))).not.toEqual([]);
    });

    it('the row has it still', () => stage.expectSame(master));
  });

  describe('of columns that the producer changes', () => {
    const plays = 'seen.radio_play_v1';
    const changed = async () => {
      const { rows } = await stage.mirror.query<{ change: string }>(
        `select concat_ws(' ', kind, change.name, before, after) as change
         from ingest.column_change change join ingest.source on source.id = change.source
         where source.name = $1 order by change.id`,
        [plays],
      );
      return rows.map(({ change }) => change);
    };
    /** Alters the table, and writes some rows. */
    async function alter(action: string, expected: string): Promise<void> {
      await stage.producer.query(`alter table ${plays} ${action}`);
      await stage.producer.query(
        `update ${plays} set station = station || '!' where play_id in (select play_id from ${plays} order by 1 limit 5)`,
      );
      await expect.poll(changed, { timeout: 60_000 }).toContain(expected);
    }

    it('an operator sees each change, and that the last values of a dropped column are stale', async () => {
      await alter('drop column country', 'dropped country JSON string');
      await alter('add column note text', 'added note');
      await alter('rename column dj_name to presenter', 'renamed dj_name dj_name presenter');
      await alter(
        'alter column title type integer using length(title)',
        'type_changed title JSON string JSON number',
      );
      expect(await changed()).toHaveLength(4);
      vi.stubEnv('DATABASE_URL', stage.postgres.address);
      const { code, printed, complaints } = await runOps('status', '--source', plays);
      const problems = printed.filter((line) => line.startsWith(`${plays}\t`)).slice(1);
      expect(problems.map((line) => line.split('\t').slice(1, 3).join(' ')).sort()).toEqual([
        'country stale',
        'dj_name stale',
        'title failing',
      ]);
      expect([code, complaints.join()]).toEqual([1, expect.stringContaining(plays)]);
      const last = `select count(*)::int4 as rows from ingest.mirror join ingest.source on source.id = source
        where name = $1 and row::json ->> 'country' is not null`;
      const { rows: before } = await stage.mirror.query(last, [plays]);
      expect(before[0].rows).toBeGreaterThan(0);
      const cleared = await runOps('sources', 'clear', plays, 'country', '--why', 'dropped');
      expect(cleared.printed).toEqual([`cleared country in ${before[0].rows} rows of ${plays}`]);
      const { rows: after } = await stage.mirror.query(last, [plays]);
      expect(after[0].rows).toBe(0);
      vi.unstubAllEnvs();
    });
  });
});
