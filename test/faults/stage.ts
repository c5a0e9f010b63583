import type { Pool } from 'pg';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { artistHistory } from '../support/history/artists.ts';
import { festivalHistory } from '../support/history/festivals.ts';
import { labelHistory } from '../support/history/labels.ts';
import { releaseHistory } from '../support/history/releases.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { createTopics, kafkaClient, uniquePrefix } from '../support/services/kafka.ts';
import { type LocalKafka, startLocalKafka } from '../support/services/kafka-local.ts';
import { type CrashablePostgres, startCrashablePostgres } from '../support/services/postgres-crash.ts';
import type { FaultPoint } from './fault-point.ts';
import { type Load, PARTITIONS, startLoad } from './load.ts';
import { type Running, startProcess } from './processes.ts';
import type { SeededRandom } from './random.ts';
import { expectAllRight, untilSettled } from './verify.ts';

/** A topic that no source has, beside those of the histories. */
const NO_SOURCE = 'seen.no_such_table';
const TABLES: ReadonlySet<string> = new Set([
  ...[...artistHistory, ...festivalHistory, ...labelHistory, ...releaseHistory].map(([{ table }]) => table),
  NO_SOURCE,
]);

/** The whole system under load, on servers that faults can strike. */
export interface FaultStage extends Processes {
  readonly postgres: CrashablePostgres;
  readonly kafka: LocalKafka;
  readonly pool: Pool;
  readonly group: string;
  readonly load: Load;
  /** Waits until every event is projected, and compares the rows, dead letters and documents with those expected. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

interface Processes {
  startIngest(fault?: FaultPoint): Running;
  startProjector(fault?: FaultPoint): Running;
  /** Rebuilds a projection and promotes it, as an operator does. */
  startRebuild(projection: string, fault?: FaultPoint): Running;
  /** Starts a process that stays for later faults, unless one of the name runs. */
  keep(name: 'ingest' | 'projector'): Promise<Running>;
  /** @throws Error when a kept process has ended */
  requireKept(): void;
  /** The latest output of the kept processes. */
  output(): string;
  killAll(): void;
}

type Undo = (() => Promise<unknown>)[];

export async function openStage(random: SeededRandom): Promise<FaultStage> {
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

async function buildStage(random: SeededRandom, undo: Undo, stop: () => Promise<void>): Promise<FaultStage> {
  const postgres = await startCrashablePostgres();
  undo.push(() => postgres.stop());
  const kafka = await startLocalKafka();
  undo.push(() => kafka.stop());
  const { pool, registry } = await prepareDatabase(postgres.address);
  undo.push(() => pool.end());
  const prefix = uniquePrefix();
  const group = `${prefix}-ingest`;
  const load = await prepareLoad({ brokers: kafka.address, prefix, random, undo });
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
        throw new Error(`the events sent were not all projected\n${processes.output()}`, { cause });
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
      await running.untilWritten(name === 'ingest' ? 'consuming' : 'projecting');
      return running;
    },
    requireKept() {
      for (const [name, running] of kept)
        if (running.hasEnded()) throw new Error(`the ${name} ended without a fault:\n${running.output()}`);
    },
    output: () => [...kept].map(([name, running]) => `${name}:\n${running.output()}`).join('\n'),
    killAll() {
      for (const running of started) running.signal('SIGKILL');
    },
  };
}

interface LoadSetup {
  readonly brokers: string;
  readonly prefix: string;
  readonly random: SeededRandom;
  readonly undo: Undo;
}

async function prepareDatabase(url: string): Promise<{ pool: Pool; registry: Registry }> {
  await migrate(url);
  const pool = connect(url, 'test');
  const registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
  return { pool, registry };
}

async function prepareLoad({ brokers, prefix, random, undo }: LoadSetup): Promise<Load> {
  const keepForever = [{ name: 'retention.ms', value: '-1' }];
  await createTopics(
    brokers,
    [...TABLES].map((table) => ({
      topic: `${prefix}.${table}`,
      numPartitions: PARTITIONS,
      configEntries: keepForever,
    })),
  );
  // Idempotent: else a send that is retried after a broker fault would write its broken events twice.
  const producer = kafkaClient(brokers).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    retry: { retries: 10 },
  });
  await producer.connect();
  undo.push(() => producer.disconnect());
  return startLoad({ producer, prefix, tables: TABLES, random });
}
