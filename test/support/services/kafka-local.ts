import path from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { type JavaSettings, javaServer } from './java-server.ts';
import { kafkaJars } from './kafka-jars.ts';
import type { TestService } from './service.ts';

const settings = (folder: string, port: number, controllerPort: number): JavaSettings => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
  'controller.listener.names': 'CONTROLLER',
  listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'log.dirs': path.join(folder, 'data'),
  'auto.create.topics.enable': false,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 1,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 1,
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 500,
  // A killed broker is noticed soon, so that it can register again.
  'broker.heartbeat.interval.ms': 250,
  'broker.session.timeout.ms': 1_000,
});

/** Whether a broker is registered and reachable under the address it advertises. */
async function isAnswering(address: string): Promise<boolean> {
  const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const admin = client.admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length > 0;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}

/** A broker that can be killed and started again, with what it has on disk, under the same address. */
export interface LocalKafka extends TestService {
  kill(): Promise<void>;
  start(): Promise<void>;
  pid(): number | null;
}

/** One broker that is its own controller, from Apache Kafka's jars, on free ports of 127.0.0.1. */
export async function startLocalKafka(): Promise<LocalKafka> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const isReady = () => isAnswering(address);
  const server = await javaServer({ name: 'Apache Kafka', jars: await kafkaJars(), isReady });
  try {
    const file = await server.writeSettings(settings(server.folder, port, await freePort()));
    const start = () => server.start('kafka.Kafka', file);
    // Any 16 bytes in base64 do; the tool takes a leading minus for an option.
    await server.runOnce('kafka.tools.StorageTool', 'format', '-t', 'bGluZXJub3Rlcy10ZXN0MQ', '-c', file);
    await start();
    const { kill, pid, remove: stop } = server;
    return { address, origin: 'local broker from Maven jars', start, kill, pid, stop };
  } catch (error) {
    await server.remove();
    throw error;
  }
}
