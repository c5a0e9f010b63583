// Before all others.
import '../http/keep-tick-shape.ts';
import { pino } from 'pino';
import { readConfig } from './config.ts';
import { readContract } from './contract/contract.ts';
import { startTasteService } from './server.ts';

const config = readConfig(process.env);
const log = pino({ name: 'taste', level: config.LOG_LEVEL });

const service = await startTasteService({
  databaseUrl: config.DATABASE_URL,
  poolSize: config.DATABASE_POOL_SIZE,
  host: config.TASTE_HOST,
  port: config.TASTE_PORT,
  publicUrl: config.TASTE_URL,
  secret: config.TASTE_SECRET,
  contract: readContract(config.TASTE_CONTRACT),
  requestsPerMinute: config.TASTE_RATE_LIMIT_PER_MINUTE,
  consentsPerMinute: config.TASTE_CONSENTS_PER_MINUTE,
  trustProxy: config.TRUST_PROXY,
  operations: { port: config.OPS_PORT, host: config.OPS_HOST },
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
