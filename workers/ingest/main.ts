import { once } from 'node:events';
import { Kafka, type SASLOptions } from 'kafkajs';
import { pino } from 'pino';
import { connect, FOUND_BY_KEY } from '../../db/connect.ts';
import { registerSources } from '../../projections/registry.ts';
import { IngestConfig, readConfig } from '../config.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { untilItWorks } from '../until-it-works.ts';
import { consumerFindings, partitionMetrics } from '../watch/ingest-state.ts';
import { serveWorker } from '../watch/serve-worker.ts';
import { CONCURRENT_PARTITIONS } from './consume/session.ts';
import { consumeKafka, type RunningConsumer } from './consume-kafka.ts';
import { kafkaLog } from './kafka-log.ts';

/** A lock that is held longer is a fault that shows, rather than a silence. */
const LOCK_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Between the tries that kafkajs makes by itself. */
const MOST_RETRY_MS = 3_000;

const config = readConfig(IngestConfig);
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'ingest' });
const ending = new AbortController();
const running = run(ending.signal);
endOnSignal(log, () => {
  ending.abort();
  return running;
});

async function run(signal: AbortSignal): Promise<void> {
  const pool = connect(config.DATABASE_URL, 'ingest', {
    max: CONCURRENT_PARTITIONS + 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    planning: FOUND_BY_KEY,
    lock_timeout: LOCK_TIMEOUT_MS,
    // A process that froze in a transaction has lost its partitions by then, and holds up who has them now.
    idle_in_transaction_session_timeout: config.KAFKA_SESSION_TIMEOUT_MS,
  });
  let consumer: RunningConsumer | null = null;
  const operations = await serveWorker({
    databaseUrl: config.DATABASE_URL,
    port: config.OPS_PORT,
    host: config.OPS_HOST,
    pool,
    needsReadModels: false,
    findings: () => consumerFindings(consumer),
    metrics: [partitionMetrics(() => consumer)],
    log,
  });
  const registry = await untilItWorks(() => registerSources(pool), {
    signal,
    log,
    what: 'reach the database',
  });
  if (registry !== null) {
    consumer = consumeKafka({
      kafka: kafkaClient(),
      pool,
      registry,
      log,
      group: config.KAFKA_GROUP,
      prefix: config.TOPIC_PREFIX,
      sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS,
    });
    if (!signal.aborted) await once(signal, 'abort');
    await consumer.stop();
  }
  await operations?.stop();
  await pool.end();
}

function kafkaClient(): Kafka {
  return new Kafka({
    clientId: 'linernotes',
    brokers: config.KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
    ssl: config.KAFKA_TLS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    retry: { maxRetryTime: MOST_RETRY_MS },
    logCreator: kafkaLog(log),
    ...(config.KAFKA_SASL_MECHANISM === undefined ? {} : { sasl: saslOptions(config.KAFKA_SASL_MECHANISM) }),
  });
}

function saslOptions(mechanism: NonNullable<typeof config.KAFKA_SASL_MECHANISM>): SASLOptions {
  return {
    mechanism,
    username: config.KAFKA_SASL_USERNAME ?? '',
    password: config.KAFKA_SASL_PASSWORD ?? '',
  } as SASLOptions;
}
