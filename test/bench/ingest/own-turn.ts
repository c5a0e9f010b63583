import type { Client } from 'pg';
import { connect } from '../../../db/connect.ts';
import { migrate } from '../../../db/migrate.ts';
import { withEmptyDatabase } from '../database.ts';
import { observe, type StoredRecords } from './observe.ts';
import { type IngestStage, startIngest } from './stage.ts';

interface OwnTurn {
  readonly prefix: string;
  readonly events: number;
  /** A name that no other turn on these topics has. */
  readonly turn: string;
  /** Starts what runs beside the ingest worker. @returns how to stop it */
  readonly startBeside?: (url: string) => Promise<() => Promise<void>>;
}

/** Lets an ingest worker read topics once, as a new consumer group, into a database of its own. */
export function runIngest(
  stage: IngestStage,
  { prefix, events, turn, startBeside = async () => async () => {} }: OwnTurn,
): Promise<StoredRecords> {
  return withEmptyDatabase(stage.database, stage.cleanup, async (url) => {
    await migrate(url);
    const stopBeside = await startBeside(url);
    const worker = await startIngest(stage, { url, prefix, group: turn });
    const stored = await observe({
      url,
      total: events,
      readerPid: worker.pid,
      kafkaPid: stage.log.pid(),
      count: countApplied,
    });
    await worker.stop();
    await stopBeside();
    await checkRows(url, events);
    return stored;
  });
}

async function countApplied(client: Client): Promise<number> {
  const { rows } = await client.query<{ applied: number }>(
    'select coalesce(sum(next_offset), 0)::int4 as applied from ingest.position',
  );
  return rows[0]?.applied ?? 0;
}

/** Fast is nothing without right: every event has become a row. */
async function checkRows(url: string, events: number): Promise<void> {
  const pool = connect(url, 'bench', { max: 1 });
  try {
    const { rows } = await pool.query<{ rows: number }>('select count(*)::int4 as rows from ingest.mirror');
    if (rows[0]?.rows !== events) throw new Error(`${rows[0]?.rows} rows instead of ${events}`);
  } finally {
    await pool.end();
  }
}
