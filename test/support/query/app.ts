import type { FastifyInstance, onSendHookHandler } from 'fastify';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, expect } from 'vitest';
import { createWatchdog } from '../../../infra/runtime/watchdog.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { DEFAULT_RATE_LIMITS } from '../../../services/http/limits/tiers.ts';
import { buildApp } from '../../../services/query/build-app.ts';
import { stalenessOf } from '../../../services/query/dossier/staleness.ts';
import { issueKey } from '../../../services/query/keys/keys.ts';
import type { QueryParts } from '../../../services/query/parts.ts';
import { interpreter } from '../../../services/query/plain-language/interpreter.ts';
import { embeddedEngine } from '../../../services/query/search/embedded-engine.ts';
import { beaconTokens } from '../../../services/query/search-events/tokens.ts';
import { declaredErrors, UNLISTED_ERRORS } from '../openapi/declared-errors.ts';

export const BASE_URL = 'https://api.example';

/** Errors that routes have sent and do not declare. */
const undeclared: string[] = [];
afterEach(() => expect(undeclared.splice(0), 'errors that their routes do not declare').toEqual([]));

const noteUndeclared: onSendHookHandler = (request, { statusCode }, payload, done) => {
  done();
  const { routeOptions: route, is404 } = request;
  const { url = '', config, schema } = route;
  // Some routes describe a status themselves.
  const isDescribed = Object.hasOwn(schema?.response ?? {}, statusCode);
  if (statusCode < 400 || is404 || config.isUnlisted || isDescribed) return;
  const { error } = JSON.parse(String(payload));
  const declared: readonly string[] = declaredErrors({ method: route.method, url, config, schema });
  if (!declared.includes(error) && !UNLISTED_ERRORS.has(error)) undeclared.push(`${url}: ${error}`);
};

/** The app on one pool: nothing is stale, the clock is the system's, nothing is logged. */
export const queryApp = async (pool: Pool, changed: Partial<QueryParts> = {}): Promise<FastifyInstance> =>
  buildApp(await queryParts(pool, changed));

async function queryParts(pool: Pool, changed: Partial<QueryParts> = {}): Promise<QueryParts> {
  const nothingStale = stalenessOf([]);
  const log = pino({ level: 'silent' });
  const now = changed.now ?? Date.now;
  return {
    readPool: pool,
    surfacePool: pool,
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
    search: embeddedEngine({ url: pool.options.connectionString ?? '', log }),
    beacons: beaconTokens({ secret: 'secret of the tests, of 32 bytes', now }),
    interpreter: interpreter({ model: null, log }),
    log,
    ...changed,
    observeRoutes(app) {
      app.addHook('onSend', noteUndeclared);
      changed.observeRoutes?.(app);
    },
  };
}

/** The header that opens keyed routes, with a key of its own. */
export async function keyHeader(pool: Pool, tier = 'standard'): Promise<{ 'x-api-key': string }> {
  const { key } = await issueKey(pool, { environment: 'test', label: 'test', tier, expiresAt: null });
  return { 'x-api-key': key };
}
