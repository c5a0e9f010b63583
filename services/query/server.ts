import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { connect, LOOKUP_PLANNING } from '../../db/connect.ts';
import { type OperationsServer, serveOperations } from '../../infra/runtime/operations-server.ts';
import { processMetrics } from '../../infra/runtime/process-metrics.ts';
import { retryForever } from '../../infra/runtime/retry.ts';
import { closeGracefully } from '../../infra/runtime/shutdown.ts';
import { createWatchdog, type Watchdog } from '../../infra/runtime/watchdog.ts';
import { currentDay } from '../../projections/engine/day.ts';
import { freshnessMetrics } from '../../projections/engine/freshness/freshness-metrics.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import type { SearchCluster } from '../../projections/models/search/opensearch/cluster.ts';
import type { ArrivalLimits } from '../http/arrival.ts';
import { boundPool } from '../http/bounded-pool.ts';
import { type ConnectionLimits, openConnections } from '../http/connections.ts';
import { type ClientCaps, type InFlightRequests, openInFlight } from '../http/in-flight.ts';
import { openLimitStore } from '../http/limits/limit-store.ts';
import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from '../http/limits/tiers.ts';
import { processClock } from '../http/limits/windows.ts';
import { listen } from '../http/listen.ts';
import { DEFAULT_LOAD_LIMIT, type LoadLimitSettings, watchLoad } from '../http/load-limit.ts';
import { softReadLeftMs } from '../http/soft-read.ts';
import { buildApp } from './build-app.ts';
import { watchStaleness } from './dossier/staleness.ts';
import { interpreter, type ModelSettings } from './plain-language/interpreter.ts';
import { clusterEngine } from './search/cluster/cluster-engine.ts';
import { embeddedEngine } from './search/embedded-engine.ts';
import { beaconSecret, beaconTokens } from './search-events/tokens.ts';
import { queryReadiness } from './status/readiness.ts';
import type { V1Settings } from './v1/settings.ts';

export interface QueryServiceOptions {
  readonly databaseUrl: string;
  /** A replica to read from, if there is one. */
  readonly readUrl?: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** URL of the service for clients (default: where it listens). */
  readonly publicUrl?: string | undefined;
  /** URL of the explorer that search results link to (default: `publicUrl`). */
  readonly explorerUrl?: string | undefined;
  readonly limits?: RateLimitSettings;
  /** Where processes share their limits; without it each process counts by itself. */
  readonly redis?: { readonly url: string; readonly prefix?: string | undefined } | null;
  /** The search cluster; without it the search index is in the database. */
  readonly searchCluster?: SearchCluster | null;
  /** The limit of in-flight requests. */
  readonly load?: LoadLimitSettings;
  /** Units of work that run at the same time. */
  readonly workCapacity?: number;
  /** The in-flight requests of one client. */
  readonly clientCaps?: ClientCaps;
  /** What differs from the default limits of connections. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Milliseconds until the service has responded to a request (default: half a second less than the deadline). */
  readonly deadlineMs?: number;
  readonly poolSize?: number;
  /** Connections for surfaces; 0 for none. */
  readonly surfacePoolSize?: number;
  /** Statements that may wait for a connection. */
  readonly poolQueue?: number;
  readonly trustProxy?: string | undefined;
  /** Time limits for the arrival of a request. */
  readonly arrival?: ArrivalLimits;
  /** Seals cursors (default: a secret in the database, for all processes). */
  readonly cursorSecret?: string | undefined;
  /** Where operators read metrics, health and readiness; nowhere without a port. */
  readonly operations?: { readonly port: number | undefined; readonly host: string };
  /** Signs beacon tokens; without it, they are valid only in this process. */
  readonly beaconSecret?: string | undefined;
  /** Interprets searches in plain language, before the grammar. */
  readonly model?: ModelSettings | null;
  /** The upstream of version 1, if there is one. */
  readonly v1?: V1Settings | null;
  readonly log: Logger;
  /** Ends the wait for an unavailable database (default: never). */
  readonly signal?: AbortSignal;
}

export interface QueryService {
  /** Where the service listens. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Stops listening, finishes in-flight requests, then closes the database connections. */
  stop(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 10;
const DEFAULT_SURFACE_POOL_SIZE = 4;
const DEFAULT_POOL_QUEUE = 500;

/** Together shorter than the deadline of a request. */
const POOL_WAIT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 12_000;
/** For a server that does not respond, and so does not cancel either. */
const LONGEST_HOLD_MS = 12_500;

/**
 * Starts the query service. Waits while the database is unavailable. Rejects, and releases everything, if the signal aborts
 * first, the port is unavailable, or AS_OF is no day.
 */
export async function startQueryService(options: QueryServiceOptions): Promise<QueryService> {
  const { databaseUrl, readUrl, port, host = '127.0.0.1', log } = options;
  const { signal = new AbortController().signal } = options;
  currentDay();
  const inFlight = openInFlight({
    deadlineMs: options.deadlineMs,
    caps: options.clientCaps,
    connections: openConnections(options.connections),
  });
  const pools = openPools(options, inFlight);
  const { accessPool, readPool, surfacePool, watchPool } = pools;
  const watchdog = createWatchdog();
  const metrics = options.operations?.port === undefined ? null : new Registry();
  await using parts = new AsyncDisposableStack();
  parts.defer(() => endPools(new Set<Pool | null>(Object.values(pools))));
  parts.defer(inFlight.stop);
  if (metrics !== null) {
    const operations = await serveFor(options, { requests: metrics, watchdog, pools });
    parts.defer(() => operations?.stop());
  }
  const state = await retryForever(
    async () => {
      const registry = await registerSources(accessPool);
      return { registry, watch: await watchStaleness(watchPool, registry, { log, watchdog, now: Date.now }) };
    },
    { signal, log, what: 'reach the database' },
  );
  if (state === null) throw signal.reason;
  const { registry, watch } = state;
  parts.defer(watch.stop);
  const limitStore = options.redis ? await openLimitStore({ ...options.redis, log }) : null;
  parts.defer(() => limitStore?.stop());
  const load = watchLoad(options.load ?? DEFAULT_LOAD_LIMIT);
  parts.defer(load.stop);
  const search = options.searchCluster
    ? clusterEngine({ cluster: options.searchCluster, pool: watchPool })
    : embeddedEngine({ url: readUrl ?? databaseUrl, log });
  parts.defer(search.stop);
  let baseUrl = options.publicUrl?.replace(/\/+$/, '') ?? '';
  const app = buildApp({
    readPool,
    surfacePool,
    accessPool,
    watchPool,
    watchdog,
    metrics,
    registry,
    staleness: watch.current,
    limits: options.limits ?? DEFAULT_RATE_LIMITS,
    limitStore,
    clock: processClock,
    inFlight,
    load,
    workCapacity: options.workCapacity,
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
  parts.defer(() => closeGracefully(app));
  const url = await listen(app, { host, port, setting: 'PORT' });
  search.start();
  baseUrl ||= url;
  log.info({ url }, 'query service listens');
  const running = parts.move();
  return { url, app, stop: () => running.disposeAsync() };
}

/** Bounds the queues of the pools that requests use, and ends the statements of a read with its request. */
function openPools(options: QueryServiceOptions, { leftMs }: InFlightRequests): Pools {
  const { databaseUrl, readUrl = databaseUrl, poolQueue: mostWaiting = DEFAULT_POOL_QUEUE } = options;
  const { poolSize = DEFAULT_POOL_SIZE, surfacePoolSize = DEFAULT_SURFACE_POOL_SIZE } = options;
  const watchPool = openWatchPool(readUrl);
  const bounds = { mostWaiting, longestMs: POOL_WAIT_MS + STATEMENT_TIMEOUT_MS, watchPool };
  const leftToRead = (): number | null => {
    const [ofRead, ofRequest] = [softReadLeftMs(), leftMs()];
    return ofRead === null || ofRequest === null ? (ofRead ?? ofRequest) : Math.min(ofRead, ofRequest);
  };
  const openReads = (name: string, max: number): Pool =>
    boundPool(openPool(readUrl, name, max), { ...bounds, leftMs: leftToRead });
  const readPool = openReads('query', poolSize);
  return {
    readPool,
    surfacePool: surfacePoolSize === 0 ? null : openReads('query surfaces', surfacePoolSize),
    accessPool:
      readUrl === databaseUrl
        ? readPool
        : boundPool(openPool(databaseUrl, 'query', poolSize), { ...bounds, leftMs: () => null }),
    watchPool,
  };
}

const openPool = (url: string, name: string, max: number): Pool =>
  connect(url, name, {
    max,
    connectionTimeoutMillis: POOL_WAIT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    longestHoldMs: LONGEST_HOLD_MS,
    planning: LOOKUP_PLANNING,
  });

/** Few and short-lived connections, so that polls of the database never wait behind requests. */
const openWatchPool = (url: string): Pool =>
  connect(url, 'query watch', {
    max: 2,
    connectionTimeoutMillis: POOL_WAIT_MS,
    statement_timeout: POOL_WAIT_MS,
    query_timeout: POOL_WAIT_MS,
  });

async function endPools(pools: ReadonlySet<Pool | null>): Promise<void> {
  await Promise.all([...pools].map((pool) => pool?.end()));
}

interface Pools {
  readonly accessPool: Pool;
  readonly readPool: Pool;
  readonly surfacePool: Pool | null;
  readonly watchPool: Pool;
}

/** Serves metrics, health and readiness on a port of their own. */
async function serveFor(
  { operations, log }: QueryServiceOptions,
  {
    requests,
    watchdog,
    pools: { accessPool, readPool, surfacePool, watchPool },
  }: { readonly requests: Registry; readonly watchdog: Watchdog; readonly pools: Pools },
): Promise<OperationsServer | null> {
  return serveOperations({
    port: operations?.port,
    host: operations?.host ?? '127.0.0.1',
    watchdog,
    readiness: queryReadiness({ readPool, accessPool, watchPool }),
    metrics: [
      requests,
      processMetrics({
        access: accessPool,
        read: readPool,
        ...(surfacePool === null ? {} : { surface: surfacePool }),
        watch: watchPool,
      }),
      freshnessMetrics(watchPool, projections),
    ],
    log,
  });
}
