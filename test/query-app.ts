import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { createWatchdog } from '../projections/observe/watchdog.ts';
import { registerSources } from '../projections/registry.ts';
import { issueKey } from '../services/access/keys.ts';
import { beaconTokens } from '../services/query/beacons/tokens.ts';
import { buildApp } from '../services/query/build-app.ts';
import { interpreter } from '../services/query/interpret/interpreter.ts';
import type { QueryParts } from '../services/query/parts.ts';
import { searchEngine } from '../services/query/search/engine.ts';
import { DEFAULT_RATE_LIMITS } from '../services/query/serving/rate-limits.ts';
import { stalenessOf } from '../services/query/serving/staleness.ts';

export const BASE_URL = 'https://api.example';

/** The app on one pool: nothing is stale, the clock is the system's, nothing is logged. */
export async function queryApp(pool: Pool, changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const nothingStale = stalenessOf([]);
  const log = pino({ level: 'silent' });
  const now = changed.now ?? Date.now;
  return buildApp({
    readPool: pool,
    accessPool: pool,
    watchPool: pool,
    watchdog: createWatchdog(),
    metrics: null,
    registry: await registerSources(pool),
    staleness: () => nothingStale,
    limits: DEFAULT_RATE_LIMITS,
    baseUrl: () => BASE_URL,
    trustProxy: false,
    now: Date.now,
    search: searchEngine({ url: pool.options.connectionString ?? '', log }),
    beacons: beaconTokens({ secret: 'secret of the tests, of 32 bytes', now }),
    interpreter: interpreter({ model: null, log }),
    log,
    ...changed,
  });
}

/** The header that opens keyed routes, with a key of its own. */
export async function keyHeader(pool: Pool, tier = 'standard'): Promise<{ 'x-api-key': string }> {
  const { key } = await issueKey(pool, { environment: 'test', label: 'test', tier, expiresAt: null });
  return { 'x-api-key': key };
}
