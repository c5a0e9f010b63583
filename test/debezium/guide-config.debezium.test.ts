import { readFileSync } from 'node:fs';
import { ConfigResourceTypes } from 'kafkajs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectWorker, startConnectWorker } from '../support/services/connect-worker.ts';
import { kafkaClient } from '../support/services/kafka.ts';
import { startLocalKafka } from '../support/services/kafka-local.ts';
import { startCrashablePostgres } from '../support/services/postgres-crash.ts';
import { type MariaDb, startMariaDb } from './capture/mariadb-server.ts';
import { type ConnectorConfig, connector, guideConfig, serverConfig, validateConfig } from './connector.ts';
import { createTable } from './producer-table.ts';
import { tables } from './tables.ts';
import { readTopics, topicEnds } from './topic-log.ts';

/** Real settings that the definition of a connector does not list: others read them. */
const OUTSIDE: ReadonlySet<string> = new Set([
  // Kafka Connect, which hands the third and fourth to the topic.
  'topic.creation.default.replication.factor',
  'topic.creation.default.partitions',
  'topic.creation.default.cleanup.policy',
  'topic.creation.default.retention.ms',
  // Debezium's incremental snapshots, its channel of signals, and its history of schemas.
  'read.only',
  'signal.kafka.bootstrap.servers',
  'signal.kafka.topic',
  'schema.history.internal.kafka.bootstrap.servers',
  'schema.history.internal.kafka.topic',
  // The converter that `converters` names.
  'boolean.type',
]);

const guide = readFileSync(new URL('../../infra/guides/connectors.md', import.meta.url), 'utf8');

/** The statements of the guide that begin so. */
function guideSql(start: string): string {
  const blocks = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);
  const found = blocks.find((sql) => sql.startsWith(start));
  if (found === undefined) throw new Error(`the guide has no statements "${start} …"`);
  return found;
}

describe('the connector settings of the producers’ guide', () => {
  const undo: (() => Promise<unknown>)[] = [];
  let worker: ConnectWorker;
  let mariaDb: MariaDb;
  let brokers: string;
  let postgresUrl: string;

  beforeAll(async () => {
    const kept = <T extends { stop(): Promise<unknown> }>(service: T): T => {
      undo.push(() => service.stop());
      return service;
    };
    const [kafka, postgres] = await Promise.all([
      startLocalKafka().then(kept),
      startCrashablePostgres({ wal_level: 'logical' }).then(kept),
    ]);
    [brokers, postgresUrl] = [kafka.address, postgres.address];
    [worker, mariaDb] = await Promise.all([
      startConnectWorker(kafka.address, { connectors: ['mariadb', 'mysql', 'mongodb'] }).then(kept),
      startMariaDb().then(kept),
    ]);
    await mariaDb.sql(guideSql('create user debezium'));
  });

  afterAll(async () => {
    for (const stop of undo.reverse()) await stop();
  });

  async function validated(config: ConnectorConfig) {
    const { errors, unknown } = await validateConfig(worker.address, config);
    return { errors, unknown: unknown.filter((name) => !OUTSIDE.has(name)) };
  }

  it('for PostgreSQL satisfy the connector', async () => {
    const config = { ...guideConfig(), ...serverConfig(postgresUrl, 'main', ['seen.festival']) };
    expect(await validated(config)).toEqual({ errors: [], unknown: [] });
    expect(await validated({ ...config, 'heartbeat.intervall.ms': '1', 'plugin.name': 'none' })).toEqual({
      errors: [expect.stringMatching(/^plugin\.name: /)],
      unknown: ['heartbeat.intervall.ms'],
    });
  });

  it.each(['mariadb', 'mysql'] as const)('for %s satisfy the connector', async (database) => {
    const server = { 'database.hostname': '127.0.0.1', 'database.port': String(mariaDb.port) };
    const config = { ...guideConfig(database), ...server, 'database.password': 'secret' };
    expect(await validated(config)).toEqual({ errors: [], unknown: [] });
    const misspelt = await validated({
      ...config,
      'time.precision.mode': 'none',
      'snapshot.modes': 'initial',
    });
    expect(misspelt).toEqual({
      errors: expect.arrayContaining([expect.stringMatching(/^time\.precision\.mode: /)]),
      unknown: ['snapshot.modes'],
    });
  });

  it('for MongoDB satisfy the connector, up to the server, which tests do not have', async () => {
    const config = {
      ...guideConfig('mongodb'),
      'mongodb.connection.string': 'mongodb://127.0.0.1:9/?replicaSet=rs0',
      'mongodb.server.selection.timeout.ms': '500',
    };
    expect(await validated(config)).toEqual({
      errors: [expect.stringMatching(/Unable to connect/)],
      unknown: [],
    });
  });

  describe('and its rights for PostgreSQL', () => {
    const FESTIVALS = 'producers.seen.festival';
    let owner: Client;

    beforeAll(async () => {
      owner = new Client({ connectionString: postgresUrl });
      await owner.connect();
      undo.push(() => owner.end());
      for (const table of tables)
        if (['seen.artist_momentum', 'seen.festival'].includes(table.source.table))
          await createTable(owner, table);
      await owner.query(guideSql('create role debezium'));
    });

    it('are enough to follow a table, to create its topic and to write heartbeats', async () => {
      const { hostname, port, pathname } = new URL(postgresUrl);
      const main = connector(worker.address, 'producers');
      await main.configure({
        ...guideConfig(),
        'database.hostname': hostname,
        'database.port': port,
        'database.dbname': pathname.slice(1),
        'database.password': 'secret',
        'publication.autocreate.mode': 'disabled',
        'signal.kafka.bootstrap.servers': brokers,
        'heartbeat.interval.ms': '200',
      });
      await main.untilRunning();
      await owner.query(
        `insert into seen.festival (festival_id, name, slug, aliases, merged_slugs) values ('f1', 'One', 'one', '{}', '{}')`,
      );
      const firstOf = async (topic: string) => (await readTopics(brokers, [topic]))[0];
      await expect.poll(() => firstOf(FESTIVALS)).toMatchObject({ key: '{"festival_id":"f1"}' });
      await expect.poll(() => firstOf('producers.public.debezium_heartbeat')).toBeDefined();
      await expect.poll(() => firstOf('producers.notifications')).toBeDefined();
      const query = guideSql('select slot_name');
      expect((await owner.query(query)).rows).toMatchObject([
        { slot_name: 'linernotes_producers', active: true, wal_status: 'reserved' },
      ]);
    });

    it('end at a truncate on a compacted topic', async () => {
      const admin = kafkaClient(brokers).admin();
      await admin.connect();
      const configEntries = [{ name: 'cleanup.policy', value: 'compact' }];
      await admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name: FESTIVALS, configEntries }],
      });
      await admin.disconnect();
      await owner.query('truncate seen.festival');
      const state = async () => {
        const response = await fetch(`${worker.address}/connectors/producers/status`);
        const { tasks } = (await response.json()) as { tasks: { state: string; trace?: string }[] };
        return tasks[0];
      };
      await expect.poll(state).toMatchObject({
        state: 'FAILED',
        trace: expect.stringContaining('InvalidRecord'),
      });
      expect([...(await topicEnds(brokers, [FESTIVALS])).values()].reduce((sum, end) => sum + end, 0)).toBe(
        1,
      );
    });
  });
});
