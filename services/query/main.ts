// Before all others.
import '../http/keep-tick-shape.ts';
import { once } from 'node:events';
import { pino } from 'pino';
import { runUntilSignal } from '../../infra/runtime/shutdown.ts';
import { openCluster } from '../../projections/models/search/opensearch/cluster.ts';
import { connectionLimitsOf } from '../http/connection-settings.ts';
import { arrivalOf, configWarnings, modelOf, readQueryConfig, v1Of } from './config.ts';
import { type QueryServiceOptions, startQueryService } from './server.ts';

const config = readQueryConfig();
const log = pino({
  name: 'query',
  level: config.LOG_LEVEL,
  // No line should hold headers; if one does, this removes the keys.
  redact: [
    '*.headers["x-api-key"]',
    'headers["x-api-key"]',
    '*.headers.authorization',
    'headers.authorization',
  ],
});

for (const warning of configWarnings()) log.warn(warning);

const options: QueryServiceOptions = {
  databaseUrl: config.DATABASE_URL,
  readUrl: config.DATABASE_READ_URL,
  poolSize: config.DATABASE_POOL_SIZE,
  surfacePoolSize: config.SURFACE_POOL_SIZE,
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
    concurrencyPerKey: config.RATE_LIMIT_CONCURRENCY,
  },
  redis: config.REDIS_URL === undefined ? null : { url: config.REDIS_URL, prefix: config.REDIS_PREFIX },
  searchCluster: openCluster(config),
  load: { most: config.MAX_CONCURRENT_REQUESTS, bearableDelayMs: config.MAX_EVENT_LOOP_DELAY_MS },
  workCapacity: config.MAX_CONCURRENT_WORK,
  clientCaps: {
    perConnection: config.MAX_CONCURRENT_REQUESTS_PER_CONNECTION,
    perAddress: config.MAX_CONCURRENT_REQUESTS_PER_ADDRESS,
  },
  connections: connectionLimitsOf(config),
  beaconSecret: config.BEACON_SECRET,
  model: modelOf(config),
  v1: v1Of(config),
  log,
};

runUntilSignal(log, async (signal) => {
  const service = await startQueryService({ ...options, signal }).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (!signal.aborted) await once(signal, 'abort');
  await service?.stop();
});
