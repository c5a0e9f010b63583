import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { onSuddenEnd } from '../../../infra/embedded/processes.ts';
import { pollUntil } from '../poll.ts';
import { kafkaJars } from './kafka-jars.ts';
import { requirePrograms } from './programs.ts';
import type { TestService } from './service.ts';

const run = promisify(execFile);
const STARTUP_MS = 90_000;

const LOGGING = `log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d %p %c: %m%n
`;

const properties = (folder: string, port: number, controllerPort: number): string =>
  Object.entries({
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
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

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

async function untilReady(broker: ChildProcess, folder: string, address: string): Promise<void> {
  const isReady = async () => {
    if (broker.exitCode !== null) throw new Error('Apache Kafka ended');
    return isAnswering(address);
  };
  const options = { what: 'Apache Kafka responds', timeoutMs: STARTUP_MS, intervalMs: 100 };
  await pollUntil(isReady, options).catch(async ({ message }: Error) => {
    const log = await readFile(path.join(folder, 'kafka.log'), 'utf8');
    throw new Error(`${message}; the end of its log:\n${log.slice(-3_000)}`);
  });
}

function spawnBroker(java: string[], folder: string): ChildProcess {
  const log = openSync(path.join(folder, 'kafka.log'), 'a');
  const args = [...java, 'kafka.Kafka', path.join(folder, 'server.properties')];
  const broker = spawn('java', args, { cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  return broker;
}

/** Its data is thrown away, so that a graceful shutdown would gain nothing. */
async function kill(broker: ChildProcess): Promise<void> {
  if (broker.exitCode !== null || broker.signalCode !== null) return;
  const exited = new Promise((resolve) => broker.once('exit', resolve));
  broker.kill('SIGKILL');
  await exited;
}

async function format(java: string[], folder: string): Promise<void> {
  const file = path.join(folder, 'server.properties');
  // Any 16 bytes in base64 do; the tool takes a leading minus for an option.
  await run('java', [
    ...java,
    'kafka.tools.StorageTool',
    'format',
    '-t',
    'bGluZXJub3Rlcy10ZXN0MQ',
    '-c',
    file,
  ]);
}

/** A broker that can be killed and started again, with what it has on disk, under the same address. */
export interface LocalKafka extends TestService {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** One broker that is its own controller, from Apache Kafka's jars, on free ports of 127.0.0.1. */
export async function startLocalKafka(): Promise<LocalKafka> {
  await requirePrograms({ java: 'openjdk-17-jre-headless' }, 'Running Apache Kafka for the tests');
  const jars = await kafkaJars();
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-kafka-'));
  const port = await freePort();
  await writeFile(path.join(folder, 'server.properties'), properties(folder, port, await freePort()));
  await writeFile(path.join(folder, 'log4j.properties'), LOGGING);
  const logging = `-Dlog4j.configuration=file:${path.join(folder, 'log4j.properties')}`;
  const java = ['-Xmx512m', '-XX:TieredStopAtLevel=1', logging, '-cp', path.join(jars, '*')];
  const address = `127.0.0.1:${port}`;
  let broker: ChildProcess | null = null;
  const forget = onSuddenEnd(() => broker?.kill('SIGKILL'));

  const local: LocalKafka = {
    address,
    origin: 'local broker from Maven jars',
    async start() {
      broker = spawnBroker(java, folder);
      await untilReady(broker, folder, address);
    },
    async kill() {
      if (broker !== null) await kill(broker);
    },
    async stop() {
      await local.kill();
      forget();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await format(java, folder);
    await local.start();
  } catch (error) {
    await local.stop();
    throw error;
  }
  return local;
}
