import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { connect, WATCH_LIMITS } from '../../db/connect.ts';
import { SettingsError } from '../../infra/runtime/config.ts';
import { serveOperations } from '../../infra/runtime/operations-server.ts';
import { processMetrics } from '../../infra/runtime/process-metrics.ts';
import { closeGracefully } from '../../infra/runtime/shutdown.ts';
import { readinessOf } from '../../projections/engine/freshness/readiness.ts';
import type { ConnectionLimits } from '../http/connections.ts';
import { openLimitStore } from '../http/limits/limit-store.ts';
import { listen } from '../http/listen.ts';
import { buildTasteApp } from './build-app.ts';
import { DEFAULT_CONSENTS_PER_MINUTE, DEFAULT_REQUESTS_PER_MINUTE } from './config.ts';
import { loopbackFaults } from './contract/consumer-faults.ts';
import { type Contract, readContract, readEarlierRevisions } from './contract/contract.ts';
import { type ConfiguredLimits, contractDrift } from './contract/drift.ts';

export interface TasteServiceOptions {
  readonly databaseUrl: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** URL of the service in browsers (default: where it listens). */
  readonly publicUrl?: string | undefined;
  /** At least 32 characters, the same in all processes; never changes. */
  readonly secret: string;
  /** Default: the published contract. */
  readonly contract?: Contract;
  /** Default: those of the published contract. */
  readonly earlierRevisions?: readonly Contract[];
  /** Requests of one network; `consentsPerMinute` likewise. */
  readonly requestsPerMinute?: number;
  readonly consentsPerMinute?: number;
  /** Where processes share the limits; without it each process counts by itself. */
  readonly redis?: { readonly url: string; readonly prefix?: string | undefined } | null;
  readonly poolSize?: number;
  readonly trustProxy?: string | undefined;
  /** What differs from the default limits of connections. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Where operators read metrics, health and readiness; nowhere without a port. */
  readonly operations?: { readonly port: number | undefined; readonly host: string };
  readonly log: Logger;
}

export interface RunningTasteService {
  /** Where the service listens. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Stops listening, finishes in-flight requests, then closes the database connections. */
  stop(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 10;
const MIN_SECRET = 32;
/** Together shorter than the deadline of a request. */
const TIMEOUTS = { connectionTimeoutMillis: 2_000, statement_timeout: 12_500, query_timeout: 13_000 };

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
const FALLBACK = 'each process counts by itself';
const INSECURE =
  'TASTE_URL is no https address: cookies are sent without Secure, and responses without Strict-Transport-Security';

/**
 * Starts the taste service. Rejects, and releases everything, if the port is unavailable, or the contract differs from the
 * service or promises higher limits.
 */
export async function startTasteService(options: TasteServiceOptions): Promise<RunningTasteService> {
  const { databaseUrl, port, host = '127.0.0.1', publicUrl, log, contract = readContract() } = options;
  const { requestsPerMinute = DEFAULT_REQUESTS_PER_MINUTE } = options;
  const { consentsPerMinute = DEFAULT_CONSENTS_PER_MINUTE } = options;
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  if (options.secret.length < MIN_SECRET)
    throw new SettingsError(`TASTE_SECRET needs ${MIN_SECRET} characters or more`);
  if (isSecure) rejectLoopback(contract);
  const metrics = options.operations?.port === undefined ? null : new Registry();
  const pool = connect(databaseUrl, 'taste', {
    max: options.poolSize ?? DEFAULT_POOL_SIZE,
    ...TIMEOUTS,
  });
  await using parts = new AsyncDisposableStack();
  parts.defer(() => pool.end());
  const limitStore = options.redis
    ? await openLimitStore({ ...options.redis, fallback: FALLBACK, log })
    : null;
  parts.defer(() => limitStore?.stop());
  const app = buildTasteApp({
    pool,
    contract,
    earlierRevisions: options.earlierRevisions ?? readEarlierRevisions(contract),
    secret: options.secret,
    origin: publicUrl === undefined ? null : new URL(publicUrl).origin,
    trustProxy: options.trustProxy ?? false,
    requestsPerMinute,
    consentsPerMinute,
    limitStore,
    connections: options.connections,
    metrics,
    now: Date.now,
    log,
  });
  parts.defer(() => closeGracefully(app));
  await app.ready();
  requireNoDrift(app, contract, {
    requests_per_minute: requestsPerMinute,
    consents_per_minute: consentsPerMinute,
  });
  if (metrics !== null) {
    const watchPool = connect(databaseUrl, 'taste watch', WATCH_LIMITS);
    parts.defer(() => watchPool.end());
    const operations = await serveOperations({
      port: options.operations?.port,
      host: options.operations?.host ?? '127.0.0.1',
      readiness: readinessOf(watchPool),
      metrics: [metrics, processMetrics({ taste: pool })],
      log,
    });
    parts.defer(() => operations?.stop());
  }
  const url = await listen(app, { host, port, setting: 'TASTE_PORT' });
  log.info({ url }, 'taste service listens');
  if (!isSecure && (options.trustProxy !== undefined || !LOOPBACK_HOSTS.has(host))) log.warn(INSECURE);
  const running = parts.move();
  return { url, app, stop: () => running.disposeAsync() };
}

/** @throws SettingsError if the contract differs from the service */
function requireNoDrift(app: FastifyInstance, contract: Contract, limits: ConfiguredLimits): void {
  const drift = contractDrift(contract, app.declaredRoutes, limits);
  if (drift.length > 0)
    throw new SettingsError(`the contract differs from this service: ${drift.join('; ')}`);
}

/** @throws SettingsError if a consumer's origin is the user's own machine */
function rejectLoopback({ consumers }: Contract): void {
  const faults = loopbackFaults(consumers);
  if (faults.length > 0)
    throw new SettingsError(
      `the contract cannot be served over https: ${faults.join('; ')}; set TASTE_CONTRACT to a contract of your consumers`,
    );
}
