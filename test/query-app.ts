import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { createWatchdog } from '../projections/observe/watchdog.ts';
import { registerSources } from '../projections/registry.ts';
import { issueKey } from '../services/access/keys.ts';
import { buildApp } from '../services/query/build-app.ts';
import type { QueryParts } from '../services/query/parts.ts';
import { DEFAULT_RATE_LIMITS } from '../services/query/serving/rate-limits.ts';
import { stalenessOf } from '../services/query/serving/staleness.ts';

export const BASE_URL = 'https://api.example';

/** The app on one pool: nothing is stale, the clock is the system's, nothing is logged. */
export async function queryApp(pool: Pool, changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const nothingStale = stalenessOf([]);
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
    log: pino({ level: 'silent' }),
    ...changed,
  });
}

/** The header that opens keyed routes, with a key of its own. */
export async function keyHeader(pool: Pool, tier = 'standard'): Promise<{ 'x-api-key': string }> {
  const { key } = await issueKey(pool, { environment: 'test', label: 'test', tier, expiresAt: null });
  return { 'x-api-key': key };
}
