// Before all others.
import '../http/keep-tick-shape.ts';
import { pino } from 'pino';
import { shutDownOnSignal } from '../../infra/runtime/shutdown.ts';
import { connectionLimitsOf } from '../http/connection-settings.ts';
import { readTasteConfig } from './config.ts';
import { readContract, readEarlierRevisions } from './contract/contract.ts';
import { startTasteService } from './server.ts';

const config = readTasteConfig();
const contract = readContract(config.TASTE_CONTRACT);
const log = pino({ name: 'taste', level: config.LOG_LEVEL });

const service = await startTasteService({
  databaseUrl: config.DATABASE_URL,
  poolSize: config.DATABASE_POOL_SIZE,
  host: config.TASTE_HOST,
  port: config.TASTE_PORT,
  publicUrl: config.TASTE_URL,
  secret: config.TASTE_SECRET,
  contract,
  earlierRevisions: readEarlierRevisions(contract, config.TASTE_CONTRACT),
  requestsPerMinute: config.TASTE_RATE_LIMIT_PER_MINUTE,
  consentsPerMinute: config.TASTE_CONSENTS_PER_MINUTE,
  redis: config.REDIS_URL === undefined ? null : { url: config.REDIS_URL, prefix: config.REDIS_PREFIX },
  trustProxy: config.TRUST_PROXY,
  connections: connectionLimitsOf(config),
  operations: { port: config.OPS_PORT, host: config.OPS_HOST },
  log,
});

shutDownOnSignal(log, service.stop);
