import { Kafka, type SASLOptions } from 'kafkajs';
import { pino } from 'pino';
import { connect } from '../../db/connect.ts';
import { registerSources } from '../../projections/registry.ts';
import { IngestConfig, readConfig } from '../config.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { CONCURRENT_PARTITIONS, consumeKafka } from './consume-kafka.ts';
import { kafkaLog } from './kafka-log.ts';

const config = readConfig(IngestConfig);
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'ingest' });
const pool = connect(config.DATABASE_URL, 'ingest', { max: CONCURRENT_PARTITIONS + 1 });
const registry = await registerSources(pool);
const kafka = new Kafka({
  clientId: 'linernotes',
  brokers: config.KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
  ssl: config.KAFKA_TLS,
  logCreator: kafkaLog(log),
  ...(config.KAFKA_SASL_MECHANISM === undefined ? {} : { sasl: saslOptions(config.KAFKA_SASL_MECHANISM) }),
});
const consumer = await consumeKafka({
  kafka,
  pool,
  registry,
  log,
  group: config.KAFKA_GROUP,
  prefix: config.TOPIC_PREFIX,
  sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS,
});
endOnSignal(log, async () => {
  await consumer.stop();
  await pool.end();
});

function saslOptions(mechanism: NonNullable<typeof config.KAFKA_SASL_MECHANISM>): SASLOptions {
  return {
    mechanism,
    username: config.KAFKA_SASL_USERNAME ?? '',
    password: config.KAFKA_SASL_PASSWORD ?? '',
  } as SASLOptions;
}
