import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectWorker, startConnectWorker } from '../support/services/connect-worker.ts';
import { startLocalKafka } from '../support/services/kafka-local.ts';
import { startCrashablePostgres } from '../support/services/postgres-crash.ts';
import { type MariaDb, startMariaDb } from './capture/mariadb-server.ts';
import { type ConnectorConfig, guideConfig, serverConfig, validateConfig } from './connector.ts';

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

describe('the connector settings of the producers’ guide', () => {
  const undo: (() => Promise<unknown>)[] = [];
  let worker: ConnectWorker;
  let mariaDb: MariaDb;
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
    postgresUrl = postgres.address;
    [worker, mariaDb] = await Promise.all([
      startConnectWorker(kafka.address, ['mariadb', 'mysql', 'mongodb']).then(kept),
      startMariaDb().then(kept),
    ]);
    await mariaDb.sql(
      `create user debezium@localhost identified by 'secret'; grant all on *.* to debezium@localhost`,
    );
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
});
