import { pollUntil } from '../../support/poll.ts';
import type { Cleanup } from '../cleanup.ts';
import type { BenchDatabase } from '../database.ts';
import { benchKey } from '../dossiers.ts';
import type { BenchOptions } from '../options.ts';
import { type Program, type ProgramOptions, startProgram } from '../processes/program.ts';
import { type QueryServiceProcess, startQueryProcess } from '../processes/query-service.ts';
import type { EventLog } from './event-log.ts';

const STALLED_MS = 60_000;

/** What the measurements of a run share. */
export interface IngestStage {
  readonly options: BenchOptions;
  readonly cleanup: Cleanup;
  readonly database: BenchDatabase;
  readonly log: EventLog;
}

export const processOptions = ({ options, cleanup }: IngestStage, name: string): ProgramOptions => ({
  name,
  profiles: options.profiles,
  cleanup,
});

/** Empties the mirror and all that follows from it, and leaves the server with nothing to catch up on. */
export async function emptyMirror({ database: { pool } }: IngestStage): Promise<void> {
  await pool.query(
    'truncate ingest.mirror, ingest.link, ingest.position, ingest.dead_letter, projection.mark restart identity',
  );
  await pool.query('checkpoint');
}

/** The ingest worker in a process of its own. @param url of another database than the stage's */
export const startIngest = (
  stage: IngestStage,
  {
    prefix,
    group,
    url = stage.database.url,
  }: { readonly prefix: string; readonly group: string; readonly url?: string },
): Promise<Program> =>
  startProgram('workers/ingest/main.ts', (message) => message === 'consuming', {
    ...processOptions(stage, `ingest-${group}`),
    env: {
      DATABASE_URL: url,
      KAFKA_BROKERS: stage.log.brokers,
      KAFKA_GROUP: `${prefix}-${group}`,
      TOPIC_PREFIX: prefix,
    },
  });

/** How many records of a prefix's topics a group has applied. */
export async function appliedRecords(
  { database: { pool } }: IngestStage,
  prefix: string,
  group: string,
): Promise<number> {
  const { rows } = await pool.query<{ applied: number }>({
    name: 'bench-applied',
    text: 'select coalesce(sum(next_offset), 0)::float8 as applied from ingest.position where consumer_group = $1',
    values: [`${prefix}-${group}`],
  });
  return rows[0]?.applied ?? 0;
}

/** Calls `look` whenever more records are applied, until `total` are. @throws Error when none is applied for a minute */
export async function followApplied(
  stage: IngestStage,
  { prefix, group, total }: { readonly prefix: string; readonly group: string; readonly total: number },
  look: (applied: number) => void,
): Promise<void> {
  let applied = 0;
  const readProgress = async (): Promise<number | false> => {
    const now = await appliedRecords(stage, prefix, group);
    return now > applied && now;
  };
  while (applied < total) {
    const what = `more than ${applied} of ${total} records are applied`;
    applied = await pollUntil(readProgress, { what, timeoutMs: STALLED_MS, intervalMs: 25 });
    look(applied);
  }
}

/** Whether no dirty mark is left. */
export async function isProjected({ database: { pool } }: IngestStage): Promise<boolean> {
  const { rows } = await pool.query<{ isLeft: boolean }>(
    'select exists (select from projection.mark) as "isLeft"',
  );
  return rows[0]?.isLeft === false;
}

/** The processes that a change passes on its way to a response, and the topics where it enters. */
export interface Pipeline {
  readonly prefix: string;
  readonly service: QueryServiceProcess;
  /** An API key of the standard tier. */
  readonly key: string;
  stop(): Promise<void>;
}

/** @param env of the projector */
export async function startPipeline(
  stage: IngestStage,
  group: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Pipeline> {
  const { database, log } = stage;
  const { prefix } = await log.createTopics();
  const key = await benchKey(database, 'standard');
  const ingest = await startIngest(stage, { prefix, group });
  const projector = await startProgram('workers/project/main.ts', (message) => message === 'projecting', {
    ...processOptions(stage, 'project'),
    env: { DATABASE_URL: database.url, ...env },
  });
  const service = await startQueryProcess(database.url, processOptions(stage, 'query'));
  return {
    prefix,
    service,
    key,
    async stop() {
      for (const program of [service, projector, ingest]) await program.stop();
    },
  };
}
