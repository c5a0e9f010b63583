import path from 'node:path';
import type { Client } from 'pg';
import { type ConnectorConfig, connector } from '../../../debezium/connector.ts';
import { type ConnectWorker, DEBEZIUM_VERSION } from '../../../support/services/connect-worker.ts';
import { fromMaven } from '../../../support/services/maven.ts';
import { execute } from '../../../support/services/template.ts';
import { withEmptyDatabase } from '../../database.ts';
import { observe, type StoredRecords } from '../observe.ts';
import type { IngestStage } from '../stage.ts';
import type { FilledTopics } from './producer.ts';

const TASKS = 3;

/** The folder with the plugin of Debezium's JDBC sink. */
export const jdbcSinkPlugin = async (): Promise<string> => {
  const folder = await fromMaven({
    name: `debezium-connector-jdbc-${DEBEZIUM_VERSION}`,
    libraries: [],
    archives: [`io.debezium:debezium-connector-jdbc:${DEBEZIUM_VERSION}:tar.gz:plugin`],
  });
  return path.join(folder, 'plugins');
};

/** The settings that make it fastest: large batches, of which each is one transaction of multi-row statements. */
function sinkConfig(url: string, topics: readonly string[]): ConnectorConfig {
  const { hostname, port, username, password, pathname } = new URL(url);
  const converters = ['key', 'value'].flatMap((part) => [
    [`${part}.converter`, 'org.apache.kafka.connect.json.JsonConverter'],
    [`${part}.converter.schemas.enable`, 'true'],
  ]);
  return {
    'connector.class': 'io.debezium.connector.jdbc.JdbcSinkConnector',
    'tasks.max': String(TASKS),
    topics: topics.join(),
    'connection.url': `jdbc:postgresql://${hostname}:${port}${pathname}?reWriteBatchedInserts=true`,
    'connection.username': username,
    'connection.password': password,
    'insert.mode': 'upsert',
    'delete.enabled': 'true',
    'primary.key.mode': 'record_key',
    'schema.evolution': 'basic',
    'use.reduction.buffer': 'true',
    'batch.size': '5000',
    'consumer.override.auto.offset.reset': 'earliest',
    'consumer.override.max.poll.records': '5000',
    'consumer.override.max.partition.fetch.bytes': String(8 * 1024 * 1024),
    'consumer.override.fetch.min.bytes': String(256 * 1024),
    'consumer.override.fetch.max.wait.ms': '200',
    ...Object.fromEntries(converters),
  };
}

/** Lets the sink read topics once, as a new consumer group, into a database of its own. */
export function runSink(
  stage: IngestStage,
  worker: ConnectWorker,
  { prefix, topics, events }: FilledTopics,
  turn: string,
): Promise<StoredRecords> {
  return withEmptyDatabase(stage.database, stage.cleanup, async (url) => {
    await execute(url, 'create extension hstore');
    const sink = connector(worker.address, `sink-${prefix}-${turn}`, TASKS);
    await sink.configure(sinkConfig(url, topics));
    await sink.untilRunning();
    const stored = await observe({
      url,
      total: events,
      readerPid: worker.pid?.() ?? 0,
      kafkaPid: stage.log.pid(),
      count: countRows,
    }).catch(async (error) => {
      // Says why a task failed.
      await sink.untilRunning();
      throw error;
    });
    await sink.stop();
    await sink.remove();
    return stored;
  });
}

/** The rows of all tables, which the sink creates as it meets them. Every event of a snapshot is a row. */
async function countRows(client: Client): Promise<number> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  if (tables.length === 0) return 0;
  const counts = tables.map(({ name }) => `(select count(*) from ${name})`);
  const { rows } = await client.query<{ stored: number }>(`select (${counts.join(' + ')})::int4 as stored`);
  return rows[0]?.stored ?? 0;
}
