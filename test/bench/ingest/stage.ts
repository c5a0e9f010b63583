import type { Cleanup } from '../cleanup.ts';
import type { BenchDatabase } from '../database.ts';
import type { BenchOptions } from '../options.ts';
import { type Program, type ProgramOptions, startProgram } from '../processes/program.ts';
import type { EventLog } from './event-log.ts';

/** What the measurements of a run share. */
export interface Stage {
  readonly options: BenchOptions;
  readonly cleanup: Cleanup;
  readonly database: BenchDatabase;
  readonly log: EventLog;
}

export const processOptions = ({ options, cleanup }: Stage, name: string): ProgramOptions => ({
  name,
  profiles: options.profiles,
  cleanup,
});

/** Empties the mirror and all that follows from it, and leaves the server with nothing to catch up on. */
export async function emptyMirror({ database: { pool } }: Stage): Promise<void> {
  await pool.query(
    'truncate ingest.mirror, ingest.link, ingest.position, ingest.dead_letter, projection.mark restart identity',
  );
  await pool.query('checkpoint');
}

/** The ingest worker in a process of its own. */
export const startIngest = (stage: Stage, prefix: string, group: string): Promise<Program> =>
  startProgram('workers/ingest/main.ts', (message) => message === 'consuming', {
    ...processOptions(stage, `ingest-${group}`),
    env: {
      DATABASE_URL: stage.database.url,
      KAFKA_BROKERS: stage.log.brokers,
      KAFKA_GROUP: `${prefix}-${group}`,
      TOPIC_PREFIX: prefix,
    },
  });

/** How many records of a prefix's topics a group has applied. */
export async function appliedRecords(
  { database: { pool } }: Stage,
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
