import path from 'node:path';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { connectPlugin, type OtherDatabase } from './connect-plugins.ts';
import { type JavaSettings, javaServer } from './java-server.ts';
import { KAFKA_VERSION, LOG_BACKEND } from './kafka-jars.ts';
import { fromMaven } from './maven.ts';
import type { TestService } from './service.ts';

export const DEBEZIUM_VERSION = '3.4.3.Final';

interface WorkerOptions {
  readonly brokers: string;
  readonly port: number;
  readonly plugins: readonly string[];
}

/** One worker alone, which takes its connectors back at once when it was killed. */
const settings = ({ brokers, port, plugins }: WorkerOptions): JavaSettings => ({
  'bootstrap.servers': brokers,
  'group.id': 'connect',
  'session.timeout.ms': 3_000,
  'heartbeat.interval.ms': 500,
  'scheduled.rebalance.max.delay.ms': 0,
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'config.storage.topic': '_connect-configs',
  'config.storage.replication.factor': 1,
  'offset.storage.topic': '_connect-offsets',
  'offset.storage.replication.factor': 1,
  'offset.storage.partitions': 1,
  'offset.flush.interval.ms': 500,
  'status.storage.topic': '_connect-status',
  'status.storage.replication.factor': 1,
  'status.storage.partitions': 1,
  listeners: `http://127.0.0.1:${port}`,
  'rest.advertised.host.name': '127.0.0.1',
  'plugin.path': plugins.join(),
  'plugin.discovery': 'hybrid_warn',
});

/** Its steps are worth reading when a test fails, a warning for each doubled name of a type is not. */
const LEVELS = { 'io.debezium': 'INFO', 'io.debezium.connector.postgresql.TypeRegistry': 'ERROR' };

/** A worker of Kafka Connect with Debezium's connectors; its address is that of its REST interface. */
export interface ConnectWorker extends TestService {
  kill(): Promise<void>;
  start(): Promise<void>;
  pid(): number | null;
  /** The end of its log. */
  log(): Promise<string>;
}

interface WorkerParts {
  /** Databases whose connectors it has besides PostgreSQL's. */
  readonly connectors?: readonly OtherDatabase[];
  /** Folders of further converters, transforms and connectors. */
  readonly plugins?: readonly string[];
  /** Options of the virtual machine. */
  readonly machine?: readonly string[];
}

/** A folder with the jars of Kafka Connect and the plugin of Debezium's PostgreSQL connector. */
export const connectJars = (): Promise<string> =>
  fromMaven({
    name: `connect-${KAFKA_VERSION}-debezium-${DEBEZIUM_VERSION}`,
    libraries: [`org.apache.kafka:connect-runtime:${KAFKA_VERSION}`, LOG_BACKEND],
    archives: [`io.debezium:debezium-connector-postgres:${DEBEZIUM_VERSION}:tar.gz:plugin`],
  });

export async function startConnectWorker(
  brokers: string,
  { connectors = [], plugins: more = [], machine }: WorkerParts = {},
): Promise<ConnectWorker> {
  const folder = await connectJars();
  const plugins = [
    path.join(folder, 'plugins'),
    ...(await Promise.all(connectors.map(connectPlugin))),
    ...more,
  ];
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  // It answers with 500 or not at all until it has joined its group.
  const isReady = () =>
    fetch(`${address}/connectors`).then(
      ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
      () => false,
    );
  const server = await javaServer({
    name: 'Kafka Connect',
    jars: path.join(folder, 'jars'),
    isReady,
    levels: LEVELS,
    ...(machine === undefined ? {} : { machine }),
  });
  try {
    const file = await server.writeSettings(settings({ brokers, port, plugins }));
    const start = () => server.start('org.apache.kafka.connect.cli.ConnectDistributed', file);
    await start();
    const { kill, pid, log, remove: stop } = server;
    return { address, origin: 'local worker from Maven jars', start, kill, pid, log, stop };
  } catch (error) {
    await server.remove();
    throw error;
  }
}
