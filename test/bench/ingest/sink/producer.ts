import { Pool } from 'pg';
import { sourceByTable } from '../../../../projections/contracts/index.ts';
import { connector, guideConfig, serverConfig } from '../../../debezium/connector.ts';
import {
  createTable,
  insertRows,
  type ProducerTable,
  producerTable,
  sampleRows,
} from '../../../debezium/producer-table.ts';
import { topicEnds } from '../../../debezium/topic-log.ts';
import { pollUntil } from '../../../support/poll.ts';
import type { ConnectWorker } from '../../../support/services/connect-worker.ts';
import { startCrashablePostgres } from '../../../support/services/postgres-crash.ts';
import { execute, withDatabaseName } from '../../../support/services/template.ts';
import { sampleTables } from '../../data/sample-events.ts';
import type { IngestStage } from '../stage.ts';

const PARTITIONS = 3;
const SNAPSHOT_MS = 600_000;
const ROWS_OF_AN_INSERT = 5_000;

/** Topics with the change events of a producer's tables, as Debezium's snapshot writes them with their schemas. */
export interface FilledTopics {
  /** What they hold. */
  readonly name: string;
  readonly prefix: string;
  readonly topics: readonly string[];
  readonly events: number;
}

interface Producer {
  readonly name: string;
  readonly database: string;
  readonly tables: readonly ProducerTable[];
  /** Writes the rows. @returns their number */
  readonly fill: (pool: Pool) => Promise<number>;
}

/** Lets Debezium write one large table to its topic, and all tables of the sample to theirs. */
export async function fillTopics(stage: IngestStage, worker: ConnectWorker): Promise<FilledTopics[]> {
  const server = await startCrashablePostgres({ wal_level: 'logical' });
  stage.cleanup.add(() => server.stop());
  const oneTable = tablesOf(['seen.radio_play_v1']);
  const allTables = tablesOf(sampleTables());
  const producers: Producer[] = [
    {
      name: 'one table',
      database: 'one',
      tables: oneTable,
      fill: (pool) => fillPlays(pool, oneTable, stage.options.sinkEvents),
    },
    { name: 'all tables', database: 'all', tables: allTables, fill: (pool) => fillTables(pool, allTables) },
  ];
  const filled: FilledTopics[] = [];
  for (const producer of producers) filled.push(await fillFrom(stage, worker, server.address, producer));
  await server.stop();
  return filled;
}

/** Column types alternate between those of two producers. */
const tablesOf = (names: readonly string[]): ProducerTable[] =>
  names.flatMap((name, index) => {
    const source = sourceByTable.get(name);
    return source === undefined ? [] : [producerTable(source, index)];
  });

/** A partition just created may not have its leader yet. */
const isOfKafka = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS');

async function fillTables(pool: Pool, tables: readonly ProducerTable[]): Promise<number> {
  let rows = 0;
  for (const table of tables) {
    const all = sampleRows(table.source, 0, Number.POSITIVE_INFINITY);
    for (let start = 0; start < all.length; start += ROWS_OF_AN_INSERT)
      await insertRows(pool, table, all.slice(start, start + ROWS_OF_AN_INSERT));
    rows += all.length;
  }
  return rows;
}

/** Radio plays of the sample, repeated at later times until there are so many. */
async function fillPlays(pool: Pool, tables: readonly ProducerTable[], rows: number): Promise<number> {
  const given = await fillTables(pool, tables);
  await pool.query(
    `insert into seen.radio_play_v1 (cluster_id, play_id, station, country, title, recording_cluster_id, dj_name, played_at)
     select cluster_id, play_id || '.' || copy, station, country, title, recording_cluster_id, dj_name,
       played_at + copy * interval '1 minute'
     from generate_series(1, $1::int4) copy cross join seen.radio_play_v1 order by copy limit $2`,
    [Math.ceil(rows / given), Math.max(0, rows - given)],
  );
  return Math.max(rows, given);
}

async function fillFrom(
  { log }: IngestStage,
  worker: ConnectWorker,
  server: string,
  { name, database, tables, fill }: Producer,
): Promise<FilledTopics> {
  await execute(server, `create database "${database}"`);
  const url = withDatabaseName(server, database);
  const pool = new Pool({ connectionString: url });
  let events: number;
  try {
    for (const table of tables) await createTable(pool, table);
    events = await fill(pool);
  } finally {
    await pool.end();
  }
  const names = tables.map(({ source }) => source.table);
  const { prefix, topics } = await log.createTopics(names, PARTITIONS);
  const snapshot = connector(worker.address, `snapshot_${database}`);
  await snapshot.configure({
    ...guideConfig(),
    ...serverConfig(url, snapshot.name, names),
    'topic.prefix': prefix,
    'key.converter.schemas.enable': 'true',
    'value.converter.schemas.enable': 'true',
    'heartbeat.interval.ms': '0',
    'max.batch.size': '8192',
    'max.queue.size': '32768',
    'producer.override.batch.size': String(256 * 1024),
    'producer.override.linger.ms': '20',
  });
  await snapshot.untilRunning();
  const isWritten = async () => {
    await snapshot.untilRunning();
    const ends = await topicEnds(log.brokers, topics);
    return [...ends.values()].reduce((sum, end) => sum + end, 0) >= events;
  };
  const what = `the snapshot of ${events} rows is in Kafka`;
  await pollUntil(isWritten, { what, timeoutMs: SNAPSHOT_MS, intervalMs: 500, retryOn: isOfKafka });
  await snapshot.stop();
  await snapshot.remove();
  return { name, prefix, topics, events };
}
