import type { Running } from '../faults/processes.ts';
import type { SeededRandom } from '../faults/random.ts';
import { kafkaClient } from '../support/services/kafka.ts';
import type { Connector } from './connector.ts';
import type { ProducerSessions } from './sessions.ts';
import { type DebeziumStage, NOTIFICATIONS, PREFIX, SIGNALS } from './stage.ts';
import { readTopics } from './topic-log.ts';

const MOST_WORKERS = 3;

/** What runs while transactions are open. */
export interface Scene {
  readonly stage: DebeziumStage;
  readonly random: SeededRandom;
  readonly main: Connector;
  readonly sessions: ProducerSessions;
  readonly workers: Running[];
  projector: Running;
}

interface Strike {
  readonly name: string;
  strike(scene: Scene): Promise<void>;
}

async function endWith(process: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  process.signal(signal);
  await process.untilEnded();
}

async function snapshotAgain({ stage, main }: Scene): Promise<void> {
  await restartAs({ stage, main }, 'always');
  await stage.settle();
  await restartAs({ stage, main }, 'initial');
}

async function restartAs({ stage, main }: Pick<Scene, 'stage' | 'main'>, mode: string): Promise<void> {
  await main.stop();
  await stage.untilSlotIsFree(main);
  await stage.change(main, { 'snapshot.mode': mode });
  await main.resume();
}

async function sendSignal({ stage, random }: Scene, type: 'BLOCKING' | 'INCREMENTAL'): Promise<void> {
  const { source } = random.oneOf(stage.tables);
  const data = { 'data-collections': [source.table], type };
  const producer = kafkaClient(stage.kafka.address).producer();
  await producer.connect();
  const value = JSON.stringify({ type: 'execute-snapshot', data });
  await producer.send({ topic: SIGNALS, messages: [{ key: PREFIX, value }] });
  await producer.disconnect();
}

/** Whether the newest incremental snapshot has begun and not ended. */
async function isReadingInWindows({ stage }: Scene): Promise<boolean> {
  const reports = (await readTopics(stage.kafka.address, [NOTIFICATIONS]))
    .map(({ value }) => JSON.parse(value ?? '{}'))
    .filter((report) => report.aggregate_type === 'Incremental Snapshot')
    .sort((a, b) => a.timestamp - b.timestamp);
  return reports.length > 0 && !['COMPLETED', 'ABORTED'].includes(reports.at(-1).type);
}

export const strikes: readonly Strike[] = [
  { name: 'nothing', strike: async () => {} },
  {
    name: 'ingest killed',
    async strike({ stage, random, workers }) {
      const [killed] = workers.splice(random.below(workers.length), 1);
      if (killed !== undefined) await endWith(killed, 'SIGKILL');
      workers.push(await stage.start('ingest'));
    },
  },
  {
    name: 'ingest joined or left',
    async strike({ stage, random, workers }) {
      if (workers.length === 1 || (workers.length < MOST_WORKERS && random.below(2) === 0)) {
        workers.push(await stage.start('ingest'));
        return;
      }
      const left = workers.pop();
      if (left !== undefined) await endWith(left, 'SIGTERM');
    },
  },
  {
    name: 'projector killed',
    async strike(scene) {
      await endWith(scene.projector, 'SIGKILL');
      scene.projector = await scene.stage.start('project');
    },
  },
  {
    name: 'Connect killed',
    async strike({ stage }) {
      await stage.worker.kill();
      await stage.worker.start();
    },
  },
  {
    name: 'Kafka killed',
    async strike({ stage }) {
      await stage.kafka.kill();
      await stage.kafka.start();
    },
  },
  {
    name: 'our database crashed',
    async strike({ stage }) {
      await stage.postgres.crash();
      await stage.postgres.start();
    },
  },
  { name: 'connector restarted', strike: ({ main }) => main.restart() },
  {
    name: 'connector stopped for a while',
    async strike({ main, sessions, random }) {
      await main.stop();
      await sessions.run(random.below(30));
      await main.resume();
    },
  },
  { name: 'snapshot taken again', strike: snapshotAgain },
  {
    name: 'blocking snapshot',
    async strike(scene) {
      // Within an incremental snapshot, Debezium 3.4 takes it and then never streams again.
      if (!(await isReadingInWindows(scene))) await sendSignal(scene, 'BLOCKING');
    },
  },
  { name: 'incremental snapshot', strike: (scene) => sendSignal(scene, 'INCREMENTAL') },
];
