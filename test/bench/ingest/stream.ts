import { generateEvents } from '../data/events.ts';
import { interleave, mean } from '../interleave.ts';
import type { ConsumeNothing } from '../processes/consume-nothing.ts';
import { startWorker } from '../processes/program.ts';
import type { ReadyRowsJob } from '../processes/ready-rows.ts';
import { residentMemory } from '../processes/resources.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { sendEvents } from './event-log.ts';
import { emptyMirror, followApplied, type IngestStage, processOptions, startIngest } from './stage.ts';

const ROUNDS = 2;

const LEAST_SHARE = 0.6;
/** Memory at the end may exceed that at half time by this much. */
const MOST_GROWTH = 1.15;

interface StreamRun {
  readonly perSecond: number;
  /** Memory of the worker in MiB after a quarter, half and all of the events. */
  readonly memory: readonly [quarter: number, half: number, end: number];
}

/** Change events from Kafka into the mirror, as a share of the mirror's bare statement. */
export async function* streamFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { options, log } = stage;
  const { prefix, topics } = await log.createTopics();
  const bytes = await step(`sending ${options.events} events`, () =>
    sendEvents(log.producer, prefix, generateEvents(options.seed, options.events)),
  );
  const ready = startWorker<ReadyRowsJob, number>('./ready-rows.ts', processOptions(stage, 'ready-rows'));
  const write = async (how: ReadyRowsJob['how']): Promise<number> => {
    await emptyMirror(stage);
    return ready.run({ url: stage.database.url, how, seed: options.seed, events: options.events });
  };
  const { ceilings, subjects } = await step('ready rows and change events by turns', () =>
    interleave(
      ROUNDS,
      () => write('upsert'),
      (round) => runStream(stage, prefix, `round-${round}`),
    ),
  );
  const [quarter, half, end] = subjects.at(-1)?.memory ?? [0, 0, 0];
  yield {
    name: 'change events from Kafka',
    value: mean(subjects.map(({ perSecond }) => perSecond)),
    unit: '/s',
    ceiling: { name: 'the bare upsert of ready rows', value: mean(ceilings) },
    target: { least: LEAST_SHARE },
    note: `${Math.round(bytes)} bytes a message, ${topics.length} topics`,
  };
  yield {
    name: 'memory at the end against half time',
    value: end / half,
    unit: '',
    target: { most: MOST_GROWTH },
    note: `${[quarter, half, end].map((mib) => Math.round(mib)).join(', ')} MiB at a quarter, half, end`,
  };
  yield {
    name: 'binary COPY of the ready rows, no index',
    value: await step('binary COPY of the ready rows', () => write('copy')),
    unit: '/s',
  };
  await ready.stop();
  yield {
    name: 'kafkajs alone, into nothing',
    value: await consumeNothing(stage, prefix, topics),
    unit: '/s',
  };
}

async function consumeNothing(
  stage: IngestStage,
  prefix: string,
  topics: readonly string[],
): Promise<number> {
  const { log, options } = stage;
  const worker = startWorker<ConsumeNothing, number>(
    './consume-nothing.ts',
    processOptions(stage, 'nothing'),
  );
  const job = { brokers: log.brokers, group: `${prefix}-nothing`, topics, count: options.events };
  const perSecond = await step('kafkajs alone', () => worker.run(job));
  await worker.stop();
  return perSecond;
}

async function runStream(stage: IngestStage, prefix: string, group: string): Promise<StreamRun> {
  await emptyMirror(stage);
  const total = stage.options.events;
  const worker = await startIngest(stage, { prefix, group });
  const memory: number[] = [];
  let first = { at: 0, applied: 0 };
  await followApplied(stage, { prefix, group, total }, (applied) => {
    if (first.applied === 0) first = { at: performance.now(), applied };
    for (const [index, share] of [0.25, 0.5, 1].entries()) {
      if (applied >= share * total) memory[index] ??= residentMemory(worker.pid);
    }
  });
  const perSecond = (total - first.applied) / ((performance.now() - first.at) / 1_000);
  await worker.stop();
  await checkStream(stage);
  const [quarter = 0, half = 0, end = 0] = memory;
  return { perSecond, memory: [quarter, half, end] };
}

/** Fast is nothing without right: every created row is there, as its update left it. */
async function checkStream({ database: { pool }, options }: IngestStage): Promise<void> {
  const { rows } = await pool.query<{ rows: number; letters: number }>(
    `select (select count(*) from ingest.mirror)::int4 as rows, (select count(*) from ingest.dead_letter)::int4 as letters`,
  );
  const expected = Math.ceil(options.events / 2);
  const [found] = rows;
  if (found?.rows !== expected || found.letters !== 0)
    throw new Error(`${found?.rows} rows and ${found?.letters} dead letters instead of ${expected} rows`);
}
