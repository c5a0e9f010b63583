import type { Pool } from 'pg';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { projections } from '../../projections/index.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { artistRows } from '../history/artists.ts';
import { festivalRows } from '../history/festivals.ts';
import { labelRows } from '../history/labels.ts';
import { releaseRows } from '../history/releases.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../services/kafka.ts';
import { type LocalKafka, startLocalKafka } from '../services/kafka-local.ts';
import { type CrashablePostgres, startCrashablePostgres } from '../services/postgres-crash.ts';
import type { FaultPoint } from './kill-at.ts';
import { type Load, PARTITIONS, startLoad } from './load.ts';
import { type Running, startProcess } from './processes.ts';
import type { Random } from './random.ts';
import { expectAllRight, untilSettled } from './verify.ts';

/** A topic that no source has, beside those of the histories. */
const NO_SOURCE = 'seen.no_such_table';
const TABLES: ReadonlySet<string> = new Set([
  ...[...artistRows, ...festivalRows, ...labelRows, ...releaseRows].map(([{ table }]) => table),
  NO_SOURCE,
]);

/** The whole service on servers of its own, under load, to be struck. */
export interface Stage extends Processes {
  readonly postgres: CrashablePostgres;
  readonly kafka: LocalKafka;
  readonly pool: Pool;
  readonly group: string;
  readonly load: Load;
  /** Waits until all that was sent has come to its end, and compares everything. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

interface Processes {
  startIngest(fault?: FaultPoint): Running;
  startProjector(fault?: FaultPoint): Running;
  /** Builds a projection anew and has it served, as an operator does. */
  startRebuild(projection: string, fault?: FaultPoint): Running;
  /** One that is not struck unless it is meant to; there is one of each name at a time. */
  keep(name: 'ingest' | 'projector'): Promise<Running>;
  /** @throws when one that is kept has ended */
  requireKept(): void;
  /** What those that are kept have written lately. */
  output(): string;
  killAll(): void;
}

type Undo = (() => Promise<unknown>)[];

export async function openStage(random: Random): Promise<Stage> {
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return await buildStage(random, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function buildStage(random: Random, undo: Undo, stop: () => Promise<void>): Promise<Stage> {
  const postgres = await startCrashablePostgres();
  undo.push(() => postgres.stop());
  const kafka = await startLocalKafka();
  undo.push(() => kafka.stop());
  const { pool, registry } = await prepareDatabase(postgres.address);
  undo.push(() => pool.end());
  const prefix = uniquePrefix();
  const group = `${prefix}-ingest`;
  const load = await prepareLoad(kafka.address, prefix, random, undo);
  const processes = prepareProcesses({
    DATABASE_URL: postgres.address,
    KAFKA_BROKERS: kafka.address,
    KAFKA_GROUP: group,
    TOPIC_PREFIX: prefix,
    KAFKA_SESSION_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'info',
  });
  undo.push(async () => processes.killAll());
  return {
    ...processes,
    postgres,
    kafka,
    pool,
    group,
    load,
    async check() {
      processes.requireKept();
      try {
        await untilSettled(pool, group, load);
      } catch (cause) {
        throw new Error(`what was sent does not come to its end\n${processes.output()}`, { cause });
      }
      await expectAllRight(pool, registry, load);
    },
    stop,
  };
}

function prepareProcesses(env: Readonly<Record<string, string>>): Processes {
  const kept = new Map<'ingest' | 'projector', Running>();
  const started: Running[] = [];
  const start = (entry: string, fault: FaultPoint | undefined, args: readonly string[] = []) => {
    const running = startProcess(entry, env, { fault: fault ?? null, args });
    started.push(running);
    return running;
  };
  const startIngest = (fault?: FaultPoint) => start('workers/ingest/main.ts', fault);
  const startProjector = (fault?: FaultPoint) => start('workers/project/main.ts', fault);
  return {
    startIngest,
    startProjector,
    startRebuild: (projection, fault) =>
      start('infra/ops/main.ts', fault, ['rebuild', projection, '--promote', '--why', 'a trial']),
    async keep(name) {
      const before = kept.get(name);
      if (before !== undefined && !before.hasEnded()) return before;
      const running = name === 'ingest' ? startIngest() : startProjector();
      kept.set(name, running);
      await running.said(name === 'ingest' ? 'consuming' : 'projecting');
      return running;
    },
    requireKept() {
      for (const [name, running] of kept)
        if (running.hasEnded()) throw new Error(`the ${name} ended by itself:\n${running.output()}`);
    },
    output: () => [...kept].map(([name, running]) => `${name}:\n${running.output()}`).join('\n'),
    killAll() {
      for (const running of started) running.signal('SIGKILL');
    },
  };
}

async function prepareDatabase(url: string): Promise<{ pool: Pool; registry: Registry }> {
  await migrate(url);
  const pool = connect(url, 'test');
  const registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
  return { pool, registry };
}

async function prepareLoad(brokers: string, prefix: string, random: Random, undo: Undo): Promise<Load> {
  const forEver = [{ name: 'retention.ms', value: '-1' }];
  await createTopics(
    brokers,
    [...TABLES].map((table) => ({
      topic: `${prefix}.${table}`,
      numPartitions: PARTITIONS,
      configEntries: forEver,
    })),
  );
  const producer = kafkaClient(brokers).producer({ retry: { retries: 10 } });
  await producer.connect();
  undo.push(() => producer.disconnect());
  return startLoad(producer, prefix, TABLES, random);
}
