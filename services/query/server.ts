import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { connect, LOOKED_UP } from '../../db/connect.ts';
import { currentDay } from '../../projections/day.ts';
import { freshnessMetrics } from '../../projections/freshness/freshness-metrics.ts';
import { readinessOf } from '../../projections/freshness/readiness.ts';
import { type OperationsServer, serveOperations } from '../../projections/observe/operations-server.ts';
import { processMetrics } from '../../projections/observe/process-metrics.ts';
import { createWatchdog, type Watchdog } from '../../projections/observe/watchdog.ts';
import { registerSources } from '../../projections/registry.ts';
import { closeGently } from '../http/close-gently.ts';
import { listen } from '../http/listen.ts';
import { unwind } from '../http/unwind.ts';
import { beaconSecret } from './beacons/secret.ts';
import { beaconTokens } from './beacons/tokens.ts';
import { buildApp } from './build-app.ts';
import { interpreter, type ModelSettings } from './interpret/interpreter.ts';
import type { ArrivalLimits } from './parts.ts';
import { searchEngine } from './search/engine.ts';
import { boundPool } from './serving/bounded-pool.ts';
import { type Flights, openFlights } from './serving/flights.ts';
import { openLimitStore } from './serving/limits/limit-store.ts';
import { DEFAULT_LOAD_LIMIT, type LoadLimitSettings, watchLoad } from './serving/load-limit.ts';
import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from './serving/rate-limits.ts';
import { processClock } from './serving/rate-window.ts';
import { watchStaleness } from './serving/staleness.ts';
import type { V1Settings } from './serving/v1/settings.ts';

export interface QueryServiceOptions {
  readonly databaseUrl: string;
  /** A replica to read from, where there is one. */
  readonly readUrl?: string | undefined;
  /** 0 takes any free one. */
  readonly port: number;
  readonly host?: string;
  /** Where clients reach the service; default is where it listens. */
  readonly publicUrl?: string | undefined;
  /** Where the explorer is that search results link to; default is where clients reach the service. */
  readonly explorerUrl?: string | undefined;
  readonly limits?: RateLimitSettings;
  /** Where processes share their limits; without it each counts by itself. */
  readonly redis?: { readonly url: string; readonly prefix?: string | undefined } | null;
  /** How many requests may be under way. */
  readonly load?: LoadLimitSettings;
  /** Milliseconds until a request is answered, or given up; half a second less than the deadline unless given. */
  readonly deadlineMs?: number;
  readonly poolSize?: number;
  /** Statements that may wait for a connection. */
  readonly poolQueue?: number;
  readonly trustProxy?: string | undefined;
  /** How long a request may take to arrive. */
  readonly arrival?: ArrivalLimits;
  /** What cursors are sealed with; without one, the database keeps one for all processes. */
  readonly cursorSecret?: string | undefined;
  /** Where metrics, health and readiness are served to operators; nowhere without a port. */
  readonly operations?: { readonly port: number | undefined; readonly host: string };
  /** Signs the tokens of beacons; without it they hold for this process alone. */
  readonly beaconSecret?: string | undefined;
  /** Reads searches in plain language, before a grammar does. */
  readonly model?: ModelSettings | null;
  /** Where version 1 is still served. */
  readonly v1?: V1Settings | null;
  readonly log: Logger;
}

export interface QueryService {
  /** Where the service listens. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Stops listening, finishes the requests under way, then lets go of the database. */
  stop(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 10;
const DEFAULT_POOL_QUEUE = 500;

/** Together they leave a statement no longer than the deadline of a request that has only just begun. */
const POOL_WAIT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 12_000;
/** For a server that does not answer at all, and so does not cancel either. */
const LONGEST_HOLD_MS = 12_500;

/** Starts the query service. Rejects, holding nothing, where the database or the port is not to be had, or AS_OF is no day. */
export async function startQueryService(options: QueryServiceOptions): Promise<QueryService> {
  const { databaseUrl, readUrl, port, host = '127.0.0.1', log } = options;
  currentDay();
  const flights = openFlights({ deadlineMs: options.deadlineMs });
  const pools = openPools(options, flights);
  const { accessPool, readPool, watchPool } = pools;
  const watchdog = createWatchdog();
  const metrics = options.operations?.port === undefined ? null : new Registry();
  const undo: (() => unknown)[] = [() => endPools(new Set(Object.values(pools))), flights.stop];
  try {
    const registry = await registerSources(accessPool);
    const watch = await watchStaleness(watchPool, registry, { log, watchdog, now: Date.now });
    undo.push(watch.stop);
    if (metrics !== null) {
      const operations = await serveFor(options, metrics, watchdog, pools);
      undo.push(operations.stop);
    }
    const limitStore = options.redis ? await openLimitStore({ ...options.redis, log }) : null;
    undo.push(() => limitStore?.stop());
    const load = watchLoad(options.load ?? DEFAULT_LOAD_LIMIT);
    undo.push(load.stop);
    const search = searchEngine({ url: readUrl ?? databaseUrl, log });
    undo.push(search.stop);
    let baseUrl = options.publicUrl?.replace(/\/+$/, '') ?? '';
    const app = buildApp({
      readPool,
      accessPool,
      watchPool,
      watchdog,
      metrics,
      registry,
      staleness: watch.current,
      limits: options.limits ?? DEFAULT_RATE_LIMITS,
      limitStore,
      clock: processClock,
      flights,
      load,
      search,
      beacons: beaconTokens({ secret: beaconSecret(options.beaconSecret, log), now: Date.now }),
      interpreter: interpreter({ model: options.model ?? null, log }),
      baseUrl: () => baseUrl,
      explorerUrl: options.explorerUrl?.replace(/\/+$/, ''),
      trustProxy: options.trustProxy ?? false,
      arrival: options.arrival,
      cursorSecret: options.cursorSecret,
      v1: options.v1 ?? null,
      now: Date.now,
      log,
    });
    undo.push(() => closeGently(app));
    const url = await listen(app, { host, port, setting: 'PORT' });
    search.start();
    baseUrl ||= url;
    log.info({ url }, 'query service listens');
    return { url, app, stop: () => unwind(undo) };
  } catch (error) {
    await unwind(undo);
    throw error;
  }
}

/** The pools that requests use have a bounded queue, and no statement of a read outlasts its request. */
function openPools(options: QueryServiceOptions, { leftMs }: Flights): Pools {
  const { databaseUrl, readUrl, poolQueue: mostWaiting = DEFAULT_POOL_QUEUE } = options;
  const watchPool = openWatchPool(readUrl ?? databaseUrl);
  const bounds = { mostWaiting, longestMs: POOL_WAIT_MS + STATEMENT_TIMEOUT_MS, watchPool };
  const readPool = boundPool(openPool(readUrl ?? databaseUrl, options), { ...bounds, leftMs });
  if (readUrl === undefined) return { accessPool: readPool, readPool, watchPool };
  const accessPool = openPool(databaseUrl, options);
  return { accessPool: boundPool(accessPool, { ...bounds, leftMs: () => null }), readPool, watchPool };
}

function openPool(url: string, { poolSize = DEFAULT_POOL_SIZE }: QueryServiceOptions): Pool {
  return connect(url, 'query', {
    max: poolSize,
    connectionTimeoutMillis: POOL_WAIT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    longestHoldMs: LONGEST_HOLD_MS,
    planning: LOOKED_UP,
  });
}

/** So few and so short-lived that the service's own looks at the database never wait for its requests. */
const openWatchPool = (url: string): Pool =>
  connect(url, 'query watch', {
    max: 2,
    connectionTimeoutMillis: POOL_WAIT_MS,
    statement_timeout: POOL_WAIT_MS,
    query_timeout: POOL_WAIT_MS,
  });

async function endPools(pools: ReadonlySet<Pool>): Promise<void> {
  await Promise.all([...pools].map((pool) => pool.end()));
}

interface Pools {
  readonly accessPool: Pool;
  readonly readPool: Pool;
  readonly watchPool: Pool;
}

/** Serves metrics, health and readiness on a port of their own. */
async function serveFor(
  { operations, log }: QueryServiceOptions,
  requests: Registry,
  watchdog: Watchdog,
  { accessPool, readPool, watchPool }: Pools,
): Promise<OperationsServer> {
  const server = await serveOperations({
    port: operations?.port ?? 0,
    host: operations?.host ?? '127.0.0.1',
    watchdog,
    readiness: readinessOf(watchPool, { needsReadModels: true }),
    metrics: [
      requests,
      processMetrics({ access: accessPool, read: readPool, watch: watchPool }),
      freshnessMetrics(watchPool),
    ],
  });
  log.info({ url: server.url }, 'operations are served');
  return server;
}
