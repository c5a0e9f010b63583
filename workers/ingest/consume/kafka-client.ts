import { createRequire } from 'node:module';
import type { Static } from '@sinclair/typebox';
import { Kafka, type logCreator, logLevel, type SASLOptions } from 'kafkajs';
import type { Logger } from 'pino';
import type { IngestConfig } from '../config.ts';
import { registerCompression } from './compression.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** The longest pause between the retries of kafkajs. */
const MAX_RETRY_MS = 3_000;

/** The part of kafkajs that sends requests to one broker. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * After each response kafkajs 2.2.4 schedules a check of the waiting requests. Without any, and without a throttle, it
 * computes the delay from -1 minus the clock: Node then warns (TimeoutNegativeWarning) and runs a useless timer for each
 * response. A request that has to wait schedules its own check, so an empty queue needs none.
 */
function guardEmptyQueues(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleIfAny() {
    if (this.pending.length > 0) schedule.call(this);
  };
}

guardEmptyQueues();
registerCompression();

type KafkaConfig = Static<typeof IngestConfig>;

/** The Kafka client of the settings. Its log lines go to ours. */
export function kafkaClient(config: KafkaConfig, log: Logger): Kafka {
  return new Kafka({
    clientId: 'linernotes',
    brokers: config.KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
    ssl: config.KAFKA_TLS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    retry: { maxRetryTime: MAX_RETRY_MS },
    logCreator: kafkaLog(log),
    ...(config.KAFKA_SASL_MECHANISM === undefined
      ? {}
      : { sasl: saslOptions(config, config.KAFKA_SASL_MECHANISM) }),
  });
}

function saslOptions(
  config: KafkaConfig,
  mechanism: NonNullable<KafkaConfig['KAFKA_SASL_MECHANISM']>,
): SASLOptions {
  return {
    mechanism,
    username: config.KAFKA_SASL_USERNAME ?? '',
    password: config.KAFKA_SASL_PASSWORD ?? '',
  } as SASLOptions;
}

/** Writes the log lines of kafkajs to ours. */
function kafkaLog(log: Logger): logCreator {
  const child = log.child({ library: 'kafkajs' });
  return () =>
    ({ level, log: { message, timestamp: _, ...details } }) => {
      if (level === logLevel.ERROR) child.error(details, message);
      else if (level === logLevel.WARN) child.warn(details, message);
      else if (level === logLevel.DEBUG) child.debug(details, message);
    };
}
