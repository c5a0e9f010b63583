import { Pool } from 'pg';
import { expect } from 'vitest';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { type Running, startProcess } from '../faults/processes.ts';
import { pollUntil } from '../support/poll.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import {
  type ConnectWorker,
  DEBEZIUM_VERSION,
  startConnectWorker,
} from '../support/services/connect-worker.ts';
import { createTopics } from '../support/services/kafka.ts';
import { KAFKA_VERSION } from '../support/services/kafka-jars.ts';
import { type LocalKafka, startLocalKafka } from '../support/services/kafka-local.ts';
import { type CrashablePostgres, startCrashablePostgres } from '../support/services/postgres-crash.ts';
import {
  APICURIO_VERSION,
  registryConverters,
  type SchemaRegistryService,
  startSchemaRegistry,
} from '../support/services/schema-registry.ts';
import { noteService } from '../support/services/services-used.ts';
import { serverVersion } from '../support/services/template.ts';
import {
  compareTable,
  expectCountersAddUp,
  expectDocumentsOfRebuild,
  expectNoDeadLetters,
  SAME,
} from './compare.ts';
import {
  type Connector,
  type ConnectorConfig,
  connector,
  guideConfig,
  HEARTBEAT_TABLE,
  serverConfig,
  slotOf,
} from './connector.ts';
import { createTable, type ProducerTable } from './producer-table.ts';
import { describeRecord, readTopics, topicEnds } from './topic-log.ts';

export const PREFIX = 'producers';
/** Where a connector reads commands. */
export const SIGNALS = `${PREFIX}.signals`;
/** Where connectors report on their snapshots. */
const notificationsOf = (prefix: string): string => `${prefix}.notifications`;
export const NOTIFICATIONS = notificationsOf(PREFIX);
export const GROUP = 'linernotes-ingest';
const PARTITIONS = 3;
/** Bound of the way from a COMMIT to the documents: far above what a busy machine needs. */
const SETTLED_MS = 180_000;
/** Connect's heartbeats confirm the newest commit to PostgreSQL. */
const HEARTBEAT_MS = '500';

/** The whole way from a producer's PostgreSQL through Debezium and Kafka to the documents. */
export interface DebeziumStage {
  readonly tables: readonly ProducerTable[];
  readonly producer: Pool;
  readonly worker: ConnectWorker;
  readonly kafka: LocalKafka;
  /** Null without one. */
  readonly schemas: SchemaRegistryService | null;
  readonly postgres: CrashablePostgres;
  readonly mirror: Pool;
  /** Registers a connector with the settings of the producers' guide, and waits until it runs. */
  addConnector(name: string, tables: readonly ProducerTable[], changes?: ConnectorConfig): Promise<Connector>;
  /** Changes settings of a connector that is stopped. */
  change(which: Connector, changes: ConnectorConfig): Promise<void>;
  /** Waits until no task of a connector reads its slot. */
  untilSlotIsFree(which: Connector): Promise<void>;
  start(process: 'ingest' | 'project'): Promise<Running>;
  /** Waits until everything committed is in Kafka, applied, swept and projected. */
  settle(): Promise<void>;
  /** Settles, and compares tables with the mirror, and the counters with the topics. There is no dead letter. Default: all tables. */
  check(tables?: readonly ProducerTable[]): Promise<void>;
  checkDocuments(): Promise<void>;
  /** @throws AssertionError with every record of some rows that differ */
  expectSame(table: ProducerTable): Promise<void>;
  /** The number of records in the topics of the tables. */
  countRecords(): Promise<number>;
  topicOf(table: ProducerTable): string;
  stop(): Promise<void>;
}

type Undo = (() => Promise<unknown>)[];

interface StageOptions {
  /** The prefix of a table's topic; default: the same for all. */
  readonly prefixOf?: (table: ProducerTable) => string;
  /** A schema registry, and the converters that write to it. */
  readonly withSchemas?: boolean;
  /** Topics without rows that connectors write, besides those that every stage has. */
  readonly rowless?: readonly string[];
}

export async function openStage(
  tables: readonly ProducerTable[],
  options: StageOptions = {},
): Promise<DebeziumStage> {
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return await buildStage(tables, options, { undo, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function buildStage(
  tables: readonly ProducerTable[],
  { prefixOf = () => PREFIX, withSchemas = false, rowless = [] }: StageOptions,
  { undo, stop }: { readonly undo: Undo; readonly stop: () => Promise<void> },
): Promise<DebeziumStage> {
  const kept = <T extends { stop(): Promise<unknown> }>(service: T): T => {
    undo.push(() => service.stop());
    return service;
  };
  const [kafka, postgres, source, schemas, plugins] = await Promise.all([
    startLocalKafka().then(kept),
    startCrashablePostgres().then(kept),
    startCrashablePostgres({ wal_level: 'logical' }).then(kept),
    withSchemas ? startSchemaRegistry().then(kept) : null,
    withSchemas ? registryConverters().then((folder) => [folder]) : [],
  ]);
  const topicOf = (table: ProducerTable) => `${prefixOf(table)}.${table.source.table}`;
  const prefixes = [...new Set(tables.map(prefixOf))];
  const topics = [
    ...tables.map(topicOf),
    ...prefixes.flatMap((prefix) => [`${prefix}.message`, `__debezium-heartbeat.${prefix}`]),
    ...prefixes.map(notificationsOf),
    ...rowless,
  ];
  const [worker, { mirror, registry }] = await Promise.all([
    startConnectWorker(kafka.address, { plugins }).then(kept),
    prepareMirror(postgres.address, undo),
    createTopics(kafka.address, [
      ...topics.map((topic) => ({ topic, numPartitions: PARTITIONS })),
      { topic: SIGNALS },
    ]),
  ]);
  const producer = await prepareProducer(source.address, tables, undo);
  noteService('PostgreSQL', await serverVersion(postgres.address), postgres.origin);
  noteService('Kafka', KAFKA_VERSION, kafka.origin);
  noteService('Debezium', DEBEZIUM_VERSION, worker.origin);
  if (schemas !== null) noteService('Apicurio', APICURIO_VERSION, schemas.origin);

  const connectors: Connector[] = [];
  const configs = new Map<Connector, ConnectorConfig>();
  const running: Running[] = [];
  undo.push(async () => {
    for (const each of running) each.signal('SIGKILL');
  });

  async function start(process: 'ingest' | 'project'): Promise<Running> {
    const started = startProcess(`workers/${process}/main.ts`, {
      DATABASE_URL: postgres.address,
      KAFKA_BROKERS: kafka.address,
      KAFKA_GROUP: GROUP,
      TOPIC_PREFIX: prefixes.join(),
      ...(schemas === null ? {} : { SCHEMA_REGISTRY_URL: schemas.address }),
      KAFKA_SESSION_TIMEOUT_MS: '3000',
      LOG_LEVEL: 'info',
    });
    running.push(started);
    await started.untilWritten(process === 'ingest' ? 'consuming' : 'projecting');
    return started;
  }

  /** A connector without offsets finds its place in the log only with a commit after its snapshot: each attempt makes one. */
  async function untilConfirmed({ name }: Connector): Promise<void> {
    let wanted: string | undefined;
    const isConfirmed = async () => {
      const { rows } = await producer.query<{ lsn: string }>(
        `select pg_logical_emit_message(true, 'test', '')::text as lsn`,
      );
      wanted ??= rows[0]?.lsn;
      const { rowCount } = await producer.query(
        `select from pg_replication_slots where slot_name = $1 and active and confirmed_flush_lsn >= $2::pg_lsn`,
        [slotOf(name), wanted],
      );
      return rowCount === 1;
    };
    const what = `the connector ${name} confirms what was committed`;
    await pollUntil(isConfirmed, { what, timeoutMs: SETTLED_MS, intervalMs: 200 }).catch(
      async ({ message }: Error) => {
        throw new Error(`${message}; the end of its log:\n${await worker.log()}`);
      },
    );
  }

  async function settle(): Promise<void> {
    for (const each of connectors) {
      await each.untilRunning();
      // The first may be confirmed by rows of a snapshot that are still on their way, the second only by a later commit.
      await untilConfirmed(each);
      await untilConfirmed(each);
    }
    const ends = await topicEnds(kafka.address, topics);
    await pollUntil(
      async () => {
        const at = await positions(mirror);
        expect([...ends].filter(([place, end]) => (at.get(place) ?? 0) < end)).toEqual([]);
      },
      { what: 'every record is applied', timeoutMs: SETTLED_MS, intervalMs: 50 },
    ).catch((cause) => {
      throw new Error(running.map((each) => each.output().slice(-3_000)).join('\n'), { cause });
    });
    await pollUntil(() => hasNoWaitingSweeps(mirror), {
      what: 'every ended snapshot is swept',
      timeoutMs: SETTLED_MS,
      intervalMs: 50,
    });
    await pollUntil(() => hasNoMarks(mirror), { what: 'every change is projected', timeoutMs: SETTLED_MS });
  }

  async function expectSame(table: ProducerTable): Promise<void> {
    const differences = await compareTable(producer, mirror, table);
    const keys = [...differences.missing, ...differences.extra, ...differences.cells].slice(0, 3);
    if (keys.length === 0) return;
    const values = keys.map((key) => JSON.parse(/^\[.*?\](?= |$)/.exec(key)?.[0] ?? '[]').map(String));
    const records = (await readTopics(kafka.address, [topicOf(table)])).filter(({ key }) =>
      values.some((parts) => parts.every((part: string) => key === null || key.includes(part))),
    );
    expect(differences, `${table.source.table}:\n${records.map(describeRecord).join('\n')}`).toEqual(SAME);
  }

  return {
    tables,
    producer,
    worker,
    kafka,
    schemas,
    postgres,
    mirror,
    async addConnector(name, captured, changes = {}) {
      const added = connector(worker.address, name);
      const names = captured.map(({ source: { table } }) => table);
      const config = {
        ...guideConfig(),
        ...serverConfig(source.address, name, names),
        'signal.kafka.bootstrap.servers': kafka.address,
        'heartbeat.interval.ms': HEARTBEAT_MS,
        'notification.sink.topic.name': notificationsOf(changes['topic.prefix'] ?? PREFIX),
        ...changes,
      };
      configs.set(added, config);
      await added.configure(config);
      await added.untilRunning();
      connectors.push(added);
      return added;
    },
    async change(which, changes) {
      const config = { ...configs.get(which), ...changes } as ConnectorConfig;
      configs.set(which, config);
      await which.configure(config);
    },
    async untilSlotIsFree({ name }) {
      const isFree = async () => {
        const { rowCount } = await producer.query(
          'select from pg_replication_slots where slot_name = $1 and not active',
          [slotOf(name)],
        );
        return rowCount === 1;
      };
      await pollUntil(isFree, { what: `the slot of ${name} is free`, timeoutMs: SETTLED_MS });
    },
    start,
    settle,
    async check(some = tables) {
      await settle();
      await expectNoDeadLetters(mirror);
      for (const table of some) await expectSame(table);
      await expectCountersAddUp(mirror, GROUP);
    },
    checkDocuments: () => expectDocumentsOfRebuild(mirror, registry),
    expectSame,
    async countRecords() {
      const ends = await topicEnds(kafka.address, tables.map(topicOf));
      return [...ends.values()].reduce((sum, end) => sum + end, 0);
    },
    topicOf,
    stop,
  };
}

async function prepareMirror(url: string, undo: Undo): Promise<{ mirror: Pool; registry: Registry }> {
  await migrate(url);
  const mirror = connect(url, 'test');
  undo.push(() => mirror.end());
  const registry = await registerSources(mirror);
  for (const projection of projections) await rebuild(mirror, projection, registry);
  return { mirror, registry };
}

async function prepareProducer(url: string, tables: readonly ProducerTable[], undo: Undo): Promise<Pool> {
  const producer = new Pool({ connectionString: url, max: 20 });
  undo.push(() => producer.end());
  const client = await producer.connect();
  try {
    for (const table of tables) await createTable(client, table);
    await client.query(
      `create table ${HEARTBEAT_TABLE} (id integer primary key, beat_at timestamptz not null)`,
    );
  } finally {
    client.release();
  }
  return producer;
}

async function positions(mirror: Pool): Promise<Map<string, number>> {
  const { rows } = await mirror.query<{ place: string; next: number }>(
    `select topic || '/' || partition as place, next_offset::float8 as next
     from ingest.position where consumer_group = $1`,
    [GROUP],
  );
  return new Map(rows.map(({ place, next }) => [place, next]));
}

async function hasNoWaitingSweeps(mirror: Pool): Promise<void> {
  const { rows } = await mirror.query(
    `select topic, log_ends, noted_at from ingest.sweep where state = 'waiting'`,
  );
  expect(rows).toEqual([]);
}

async function hasNoMarks(mirror: Pool): Promise<void> {
  const { rows } = await mirror.query(
    'select count(*)::int4 as marks from projection.mark where version in (select id from projection.version)',
  );
  expect(rows).toEqual([{ marks: 0 }]);
}
