import { once } from 'node:events';
import { pino } from 'pino';
import { connect, KEY_PLANNING, WATCH_LIMITS } from '../../db/connect.ts';
import { readConfig } from '../../infra/runtime/config.ts';
import { serveOperations } from '../../infra/runtime/operations-server.ts';
import { processMetrics } from '../../infra/runtime/process-metrics.ts';
import { retryForever } from '../../infra/runtime/retry.ts';
import { runUntilSignal } from '../../infra/runtime/shutdown.ts';
import { freshnessMetrics } from '../../projections/engine/freshness/freshness-metrics.ts';
import { readinessOf } from '../../projections/engine/freshness/readiness.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { IngestConfig } from './config.ts';
import { consumeKafka, type RunningConsumer } from './consume/consume-kafka.ts';
import { kafkaClient } from './consume/kafka-client.ts';
import { CONCURRENT_PARTITIONS } from './consume/session.ts';
import { parsePrefixes } from './consume/topic-prefixes.ts';
import { consumerFindings, partitionMetrics } from './ingest-state.ts';
import { ingestMetrics } from './metrics.ts';
import { recordLimits } from './record-limits.ts';
import { schemaRegistryOf } from './schemas/config.ts';

/** A longer wait for a lock becomes an error in the log. */
const LOCK_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

const config = readConfig(IngestConfig);
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'ingest' });
runUntilSignal(log, run);

async function run(signal: AbortSignal): Promise<void> {
  const pool = connect(config.DATABASE_URL, 'ingest', {
    max: CONCURRENT_PARTITIONS + 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    planning: KEY_PLANNING,
    lock_timeout: LOCK_TIMEOUT_MS,
    // A process that froze in a transaction has lost its partitions by then, and would block their new owners.
    idle_in_transaction_session_timeout: config.KAFKA_SESSION_TIMEOUT_MS,
  });
  let consumer: RunningConsumer | null = null;
  const watchPool = connect(config.DATABASE_URL, 'watch', WATCH_LIMITS);
  const operations = await serveOperations({
    port: config.OPS_PORT,
    host: config.OPS_HOST,
    readiness: readinessOf(watchPool, { findings: () => consumerFindings(consumer) }),
    metrics: [
      processMetrics({ work: pool }),
      ingestMetrics,
      freshnessMetrics(watchPool, projections),
      partitionMetrics(() => consumer),
    ],
    log,
  });
  const registry = await retryForever(() => registerSources(pool), {
    signal,
    log,
    what: 'reach the database',
  });
  if (registry !== null) {
    consumer = consumeKafka({
      kafka: kafkaClient(config, log),
      pool,
      registry,
      log,
      group: config.KAFKA_GROUP,
      prefixes: parsePrefixes(config.TOPIC_PREFIX),
      limits: recordLimits(config),
      schemas: schemaRegistryOf(config),
      heartbeatIntervalMs: config.HEARTBEAT_INTERVAL_MS ?? null,
      sweeps: config.SNAPSHOT_SWEEPS,
      sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS,
    });
    if (!signal.aborted) await once(signal, 'abort');
    await consumer.stop();
  }
  await operations?.stop();
  await Promise.all([pool.end(), watchPool.end()]);
}
