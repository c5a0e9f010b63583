// Before all others.
import '../http/keep-tick-shape.ts';
import { pino } from 'pino';
import { arrivalOf, modelOf, readConfig, v1Of } from './config.ts';
import { startQueryService } from './server.ts';

const config = readConfig(process.env);
const log = pino({
  name: 'query',
  level: config.LOG_LEVEL,
  // No line is meant to hold a key; should one ever hold headers, this keeps the key out.
  redact: [
    '*.headers["x-api-key"]',
    'headers["x-api-key"]',
    '*.headers.authorization',
    'headers.authorization',
  ],
});

const service = await startQueryService({
  databaseUrl: config.DATABASE_URL,
  readUrl: config.DATABASE_READ_URL,
  poolSize: config.DATABASE_POOL_SIZE,
  poolQueue: config.DATABASE_POOL_QUEUE,
  host: config.HOST,
  port: config.PORT,
  publicUrl: config.PUBLIC_URL,
  explorerUrl: config.EXPLORER_URL,
  trustProxy: config.TRUST_PROXY,
  arrival: arrivalOf(config),
  cursorSecret: config.CURSOR_SECRET,
  operations: { port: config.OPS_PORT, host: config.OPS_HOST },
  limits: {
    perKey: config.RATE_LIMIT_PER_MINUTE,
    perAddress: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    atOncePerKey: config.RATE_LIMIT_AT_ONCE,
  },
  redis: config.REDIS_URL === undefined ? null : { url: config.REDIS_URL, prefix: config.REDIS_PREFIX },
  load: { most: config.MAX_REQUESTS_UNDER_WAY, bearableDelayMs: config.MAX_EVENT_LOOP_DELAY_MS },
  beaconSecret: config.BEACON_SECRET,
  model: modelOf(config),
  v1: v1Of(config),
  log,
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping');
    service.stop().catch((error: unknown) => {
      log.error({ err: error }, 'could not stop in order');
      process.exitCode = 1;
    });
  });
}
