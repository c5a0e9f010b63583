import { connectJars, startConnectWorker } from '../../../support/services/connect-worker.ts';
import { requirePrograms } from '../../../support/services/programs.ts';
import { interleave } from '../../interleave.ts';
import { step } from '../../progress.ts';
import type { Figure } from '../../report.ts';
import { median } from '../../statistics.ts';
import type { ProcessorTimes, StoredRecords } from '../observe.ts';
import { runIngest } from '../own-turn.ts';
import type { IngestStage } from '../stage.ts';
import { jdbcSinkPlugin, runSink } from './jdbc-sink.ts';
import { fillTopics } from './producer.ts';

const ROUNDS = 3;
const LEAST_RATE = 1.5;
const MOST_PROCESSOR_TIME = 0.6;
/** As Kafka Connect's own start script has it. */
const MACHINE = ['-Xms256m', '-Xmx2g', '-XX:+UseG1GC'];
const SINK = 'the Debezium JDBC sink';

/** The ingest worker and Debezium's JDBC sink on the same topics, by turns. */
export async function* sinkFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const plugin = await findSink();
  if (plugin instanceof Error) {
    yield { name: `beside ${SINK}`, value: Number.NaN, unit: '', note: `left out: ${plugin.message}` };
    return;
  }
  const worker = await step('starting Kafka Connect', () =>
    startConnectWorker(stage.log.brokers, { plugins: [plugin], machine: MACHINE }),
  );
  stage.cleanup.add(() => worker.stop());
  const filled = await step('Debezium writes snapshots with schemas', () => fillTopics(stage, worker));
  for (const topics of filled) {
    const { name, prefix, events } = topics;
    // Its code is compiled only while it runs.
    await step(`${name}: the sink warms up`, () => runSink(stage, worker, topics, 'warm-up'));
    const { ceilings, subjects } = await step(`${name}: ${events} events by turns`, () =>
      interleave(
        ROUNDS,
        (round) => runSink(stage, worker, topics, `round-${round}`),
        (round) => runIngest(stage, { prefix, events, turn: `round-${round}` }),
      ),
    );
    yield* figuresOf(topics, subjects, ceilings);
  }
  await worker.stop();
}

/** The plugin's folder, or why there is none. */
async function findSink(): Promise<string | Error> {
  try {
    await requirePrograms({ java: 'openjdk-17-jre-headless' }, 'Kafka Connect');
    await connectJars();
    return await jdbcSinkPlugin();
  } catch (error) {
    return error as Error;
  }
}

function* figuresOf(
  { name, events }: { readonly name: string; readonly events: number },
  own: readonly StoredRecords[],
  sink: readonly StoredRecords[],
): Generator<Figure> {
  const rates = (turns: readonly StoredRecords[]) => turns.map(({ perSecond }) => perSecond);
  yield {
    name: `${name}: rows beside the sink`,
    value: median(rates(own)),
    unit: '/s',
    ceiling: { name: SINK, value: median(rates(sink)) },
    target: { least: LEAST_RATE },
    note: `${events} events; ${listOf(rates(own))} against ${listOf(rates(sink))}`,
  };
  const [ours, theirs] = [medianTimes(own), medianTimes(sink)];
  if (ours === null || theirs === null) {
    const note = 'left out: a process runs on another machine, or the system does not report it';
    yield { name: `${name}: processor time beside the sink`, value: Number.NaN, unit: '', note };
    return;
  }
  yield {
    name: `${name}: processor time beside the sink`,
    value: sum(ours),
    unit: 's per 100,000',
    ceiling: { name: SINK, value: sum(theirs) },
    target: { most: MOST_PROCESSOR_TIME },
    note: `reader, PostgreSQL, Kafka: ${partsOf(ours)} against ${partsOf(theirs)}`,
  };
}

const listOf = (values: readonly number[]): string =>
  values.map((value) => Math.round(value).toLocaleString('en-US')).join(' ');

function medianTimes(turns: readonly StoredRecords[]): ProcessorTimes | null {
  const times = turns.flatMap(({ processor }) => processor ?? []);
  if (times.length < turns.length) return null;
  const middle = (part: keyof ProcessorTimes) => median(times.map((each) => each[part]));
  return { reader: middle('reader'), postgres: middle('postgres'), kafka: middle('kafka') };
}

const sum = ({ reader, postgres, kafka }: ProcessorTimes): number => reader + postgres + kafka;

const partsOf = ({ reader, postgres, kafka }: ProcessorTimes): string =>
  [reader, postgres, kafka].map((seconds) => seconds.toFixed(2)).join(', ');
