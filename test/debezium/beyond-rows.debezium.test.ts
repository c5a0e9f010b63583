import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Running } from '../faults/processes.ts';
import { runOps } from '../support/run-ops.ts';
import { kafkaClient } from '../support/services/kafka.ts';
import type { Connector } from './connector.ts';
import { insertRows, type ProducerTable, sampleRows } from './producer-table.ts';
import { type DebeziumStage, GROUP, openStage } from './stage.ts';
import { tables } from './tables.ts';
import { readTopics, topicEnds } from './topic-log.ts';

const ROWS = 60;

const tableOf = (name: string) => tables.find(({ source }) => source.table === name) as ProducerTable;
const festival = tableOf('seen.festival');
const play = tableOf('seen.radio_play_v1');
const demand = tableOf('seen.live_demand');
const OTHERS = 'others';
/** What the connector `main` writes for itself. */
const ROWLESS = ['transaction', 'public.debezium_signal', 'public.debezium_heartbeat'];

/** Two connectors with a prefix each, and everything that they send besides rows. */
describe('connectors', () => {
  let stage: DebeziumStage;
  let main: Connector;
  let others: Connector;

  beforeAll(async () => {
    stage = await openStage([festival, play, demand], {
      prefixOf: (table) => (table === demand ? OTHERS : 'producers'),
      rowless: ROWLESS.map((name) => `producers.${name}`),
    });
    vi.stubEnv('DATABASE_URL', stage.postgres.address);
    await stage.producer.query('create table debezium_signal (id text primary key, type text, data text)');
    for (const table of [festival, play, demand])
      await insertRows(stage.producer, table, sampleRows(table.source, 0, ROWS));
    await Promise.all([stage.start('ingest'), stage.start('project')]);
    main = await stage.addConnector('main', [festival, play], {
      'table.include.list':
        'seen.festival,seen.radio_play_v1,public.debezium_signal,public.debezium_heartbeat',
      'provide.transaction.metadata': 'true',
      'signal.data.collection': 'public.debezium_signal',
      'signal.enabled.channels': 'source',
      'read.only': 'false',
    });
    others = await stage.addConnector('others', [demand], { 'topic.prefix': OTHERS });
    await stage.check();
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await stage?.stop();
  });

  const sendSignal = (id: string, type: string, data: object) =>
    stage.producer.query('insert into debezium_signal values ($1, $2, $3)', [id, type, JSON.stringify(data)]);

  it('write transactions, signals, notifications and heartbeat rows, of which none is a dead letter', async () => {
    await sendSignal('note', 'log', { message: 'a signal' });
    await sendSignal('again', 'execute-snapshot', {
      'data-collections': ['seen.festival'],
      type: 'INCREMENTAL',
    });
    await stage.producer.query('update seen.festival set city = upper(city)');
    await expect
      .poll(() => readTopics(stage.kafka.address, ['producers.notifications']))
      .toContainEqual(expect.objectContaining({ value: expect.stringContaining('COMPLETED') }));
    await stage.producer.query('delete from debezium_signal');
    await stage.check();
    const { rows } = await stage.mirror.query(
      `select topic, sum(ignored)::int4 > 0 as "isIgnored", sum(read - ignored)::int4 as others
       from ingest.record_count where topic = any($1) group by topic order by topic`,
      [ROWLESS.map((name) => `producers.${name}`)],
    );
    expect(rows).toEqual(
      ROWLESS.map((name) => ({ topic: `producers.${name}`, isIgnored: true, others: 0 })).sort((a, b) =>
        a.topic < b.topic ? -1 : 1,
      ),
    );
  });

  describe('whose changes a request waits for', () => {
    const cityOf = async (id: string): Promise<string | undefined> => {
      const { rows } = await stage.mirror.query<{ city: string }>(
        `select row::json ->> 'city' as city from ingest.mirror join ingest.source on source.id = source
         where name = 'seen.festival' and row::json ->> 'festival_id' = $1`,
        [id],
      );
      return rows[0]?.city;
    };
    const someFestival = async (): Promise<string> =>
      (await stage.producer.query('select festival_id as id from seen.festival order by 1 limit 1')).rows[0]
        .id;

    it('make it visible by the number of the transaction', async () => {
      const id = await someFestival();
      const { rows } = await stage.producer.query(
        `update seen.festival set city = 'Waited For' where festival_id = $1 returning pg_current_xact_id()::text as transaction`,
        [id],
      );
      expect(await runOps('wait', `seen.festival@${rows[0].transaction}`)).toMatchObject({ code: 0 });
      expect(await cityOf(id)).toBe('Waited For');
    });

    it('make it visible by the position in the log', async () => {
      const id = await someFestival();
      await stage.producer.query(`update seen.festival set city = 'Further' where festival_id = $1`, [id]);
      const { rows } = await stage.producer.query('select pg_current_wal_insert_lsn()::text as lsn');
      // A change in each partition after a commit past the position.
      for (let times = 0; times < 2; times++)
        await stage.producer.query(`update seen.festival set country = coalesce(country, '') || '.'`);
      expect(await runOps('wait', `seen.festival@${rows[0].lsn}`)).toMatchObject({ code: 0 });
      expect(await cityOf(id)).toBe('Further');
    });

    it('are an error at once where the topic or the table is unknown', async () => {
      for (const position of ['producers.seen.nowhere:0:1', 'seen.nowhere@1'])
        expect(await runOps('wait', position, '--timeout', '600')).toMatchObject({ code: 2 });
    });
  });

  it('whose records are applied, so that Kafka knows it after a rebalance', async () => {
    await stage.producer.query('update seen.festival set city = lower(city)');
    const second: Running = await stage.start('ingest');
    await stage.settle();
    second.signal('SIGKILL');
    await second.untilEnded();
    await stage.producer.query('update seen.festival set city = upper(city)');
    await stage.settle();
    const topic = stage.topicOf(festival);
    const admin = kafkaClient(stage.kafka.address).admin();
    await admin.connect();
    try {
      await expect
        .poll(async () => {
          const [committed] = await admin.fetchOffsets({ groupId: GROUP, topics: [topic] });
          return new Map(
            committed?.partitions.map(({ partition, offset }) => [`${topic}/${partition}`, Number(offset)]),
          );
        })
        .toEqual(await topicEnds(stage.kafka.address, [topic]));
    } finally {
      await admin.disconnect();
    }
  });

  it('say in what unit they count, or their counts become dead letters that name it', async () => {
    const ids = ['early', 'late', 'endless'];
    await stage.producer.query(
      `insert into seen.radio_play_v1 select (jsonb_populate_record(null::seen.radio_play_v1, to_jsonb(p) || jsonb_build_object('play_id', id, 'played_at', at))).*
       from (select * from seen.radio_play_v1 limit 1) p,
         (values ('early', '1970-02-01 00:00:00'), ('late', '9999-12-31 23:59:59'), ('endless', 'infinity')) v (id, at)`,
    );
    await stage.settle();
    const { rows: letters } = await stage.mirror.query(
      `select convert_from(record_key, 'utf8')::json ->> 'play_id' as id, violations from ingest.dead_letter order by 1`,
    );
    expect(letters).toEqual([
      { id: 'early', violations: [{ field: 'played_at', reason: 'unit_not_stated' }] },
      { id: 'endless', violations: [{ field: 'played_at', reason: 'infinite' }] },
    ]);
    await main.stop();
    await stage.untilSlotIsFree(main);
    await stage.change(main, { 'time.precision.mode': 'isostring' });
    await main.resume();
    await stage.producer.query(
      `update seen.radio_play_v1 set played_at = '1970-02-01' where play_id = 'endless';
       update seen.radio_play_v1 set title = 'again' where play_id = any('{${ids}}')`,
    );
    await stage.settle();
    await stage.expectSame(play);
    const { rows: states } = await stage.mirror.query('select distinct state from ingest.dead_letter');
    expect(states).toEqual([{ state: 'superseded' }]);
    const { rows } = await stage.mirror.query(
      `select row::json ->> 'play_id' as id, row::json ->> 'played_at' as at from ingest.mirror
       join ingest.source on source.id = source
       where name = 'seen.radio_play_v1' and row::json ->> 'play_id' = any($1) order by 1`,
      [ids],
    );
    expect(rows).toEqual([
      { id: 'early', at: '1970-02-01T00:00:00Z' },
      { id: 'endless', at: '1970-02-01T00:00:00Z' },
      { id: 'late', at: '9999-12-31T23:59:59Z' },
    ]);
  });

  it('leave no lag on a quiet table', async () => {
    await expect
      .poll(async () => {
        const { printed } = await runOps('status', '--json', '--source', 'seen.festival');
        const [{ connector, kafka, apply, connectorPeak }] = JSON.parse(printed.join('\n')).sources;
        return { lags: [connector, kafka, apply], hasPeak: connectorPeak > 0 };
      })
      .toEqual({ lags: [0, 0, 0], hasPeak: true });
  });

  it('that die are an error at once, of their own tables alone', async () => {
    const statusOf = async () => {
      const { code, printed } = await runOps('status', '--json');
      const { sources, connectors } = JSON.parse(printed.join('\n')) as {
        sources: { source: string; state: string }[];
        connectors: { connector: string; state: string }[];
      };
      const stateOf = (name: string) => sources.find(({ source }) => source === name)?.state;
      return {
        code,
        connectors: Object.fromEntries(connectors.map(({ connector, state }) => [connector, state])),
        sources: [stateOf('seen.live_demand'), stateOf('seen.festival')],
      };
    };
    await expect.poll(statusOf).toEqual({
      code: 0,
      connectors: { producers: 'alive', others: 'alive' },
      sources: ['fresh', 'fresh'],
    });
    await others.stop();
    await expect.poll(statusOf).toEqual({
      code: 1,
      connectors: { producers: 'alive', others: 'dead' },
      sources: ['error', 'fresh'],
    });
    await others.resume();
    await expect.poll(statusOf).toMatchObject({ code: 0, sources: ['fresh', 'fresh'] });
  });
});
