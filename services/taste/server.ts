import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { connect } from '../../db/connect.ts';
import { readinessOf } from '../../projections/freshness/readiness.ts';
import { serveOperations } from '../../projections/observe/operations-server.ts';
import { processMetrics } from '../../projections/observe/process-metrics.ts';
import { createWatchdog } from '../../projections/observe/watchdog.ts';
import { closeGently } from '../http/close-gently.ts';
import { listen } from '../http/listen.ts';
import { unwind } from '../http/unwind.ts';
import { buildTasteApp } from './build-app.ts';
import { DEFAULT_CONSENTS_PER_MINUTE, DEFAULT_REQUESTS_PER_MINUTE } from './config.ts';
import { loopbackFaults } from './contract/consumer-faults.ts';
import { type Contract, readContract } from './contract/contract.ts';
import { type ConfiguredLimits, contractDrift } from './contract/drift.ts';

export interface TasteServiceOptions {
  readonly databaseUrl: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly host?: string;
  /** Where browsers reach the service; default is where it listens. */
  readonly publicUrl?: string | undefined;
  /** At least 32 characters, the same in all processes, for ever. */
  readonly secret: string;
  /** The published one unless given. */
  readonly contract?: Contract;
  /** Of one network, as are consents. */
  readonly requestsPerMinute?: number;
  readonly consentsPerMinute?: number;
  readonly poolSize?: number;
  readonly trustProxy?: string | undefined;
  /** Where metrics, health and readiness are served to operators; nowhere without a port. */
  readonly operations?: { readonly port: number | undefined; readonly host: string };
  readonly log: Logger;
}

export interface TasteService {
  /** Where the service listens. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Stops listening, finishes the requests under way, then lets go of the database. */
  stop(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 10;
const MIN_SECRET = 32;
/** Together they leave a statement no longer than the deadline of the request that waits for it. */
const TIMEOUTS = { connectionTimeoutMillis: 2_000, statement_timeout: 12_500, query_timeout: 13_000 };
const WATCH_TIMEOUTS = { connectionTimeoutMillis: 2_000, statement_timeout: 2_000, query_timeout: 2_000 };

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
const INSECURE =
  'TASTE_URL is no https address: cookies are sent without Secure, and browsers are not told to stay with https';

/**
 * Starts the taste service. Rejects, holding nothing, where the port is not to be had, or the contract promises another
 * service than this one, or more of it.
 */
export async function startTasteService(options: TasteServiceOptions): Promise<TasteService> {
  const { databaseUrl, port, host = '127.0.0.1', publicUrl, log, contract = readContract() } = options;
  const { requestsPerMinute = DEFAULT_REQUESTS_PER_MINUTE } = options;
  const { consentsPerMinute = DEFAULT_CONSENTS_PER_MINUTE } = options;
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  if (options.secret.length < MIN_SECRET)
    throw new Error(`TASTE_SECRET needs ${MIN_SECRET} characters or more`);
  if (isSecure) refuseLoopback(contract);
  const metrics = options.operations?.port === undefined ? null : new Registry();
  const pool = connect(databaseUrl, 'taste', {
    max: options.poolSize ?? DEFAULT_POOL_SIZE,
    ...TIMEOUTS,
  });
  const undo: (() => unknown)[] = [() => pool.end()];
  try {
    const app = buildTasteApp({
      pool,
      contract,
      secret: options.secret,
      isSecure,
      trustProxy: options.trustProxy ?? false,
      requestsPerMinute,
      consentsPerMinute,
      metrics,
      now: Date.now,
      log,
    });
    undo.push(() => closeGently(app));
    await app.ready();
    requireNoDrift(app, contract, {
      requests_per_minute: requestsPerMinute,
      consents_per_minute: consentsPerMinute,
    });
    if (metrics !== null) undo.push(await serveFor(options, metrics, () => processMetrics({ taste: pool })));
    const url = await listen(app, { host, port, setting: 'TASTE_PORT' });
    log.info({ url }, 'taste service listens');
    if (!isSecure && (options.trustProxy !== undefined || !LOOPBACK_HOSTS.has(host))) log.warn(INSECURE);
    return { url, app, stop: () => unwind(undo) };
  } catch (error) {
    await unwind(undo);
    throw error;
  }
}

/** @throws where the contract promises another service */
function requireNoDrift(app: FastifyInstance, contract: Contract, limits: ConfiguredLimits): void {
  const drift = contractDrift(contract, app.promisedRoutes, limits);
  if (drift.length > 0) throw new Error(`the contract is not of this service: ${drift.join('; ')}`);
}

/** @throws where a consumer is none that may be served by HTTPS */
function refuseLoopback({ consumers }: Contract): void {
  const faults = loopbackFaults(consumers);
  if (faults.length > 0)
    throw new Error(
      `the contract is none to serve by https: ${faults.join('; ')}; set TASTE_CONTRACT to one of your consumers`,
    );
}

/** Serves metrics, health and readiness on a port of their own. Answers how to end that. */
async function serveFor(
  { operations, databaseUrl, log }: TasteServiceOptions,
  requests: Registry,
  ofProcess: () => Registry,
): Promise<() => Promise<void>> {
  const watchPool = connect(databaseUrl, 'taste watch', { max: 1, ...WATCH_TIMEOUTS });
  const server = await serveOperations({
    port: operations?.port ?? 0,
    host: operations?.host ?? '127.0.0.1',
    watchdog: createWatchdog(),
    readiness: readinessOf(watchPool, { needsReadModels: false }),
    metrics: [requests, ofProcess()],
  }).catch(async (error: unknown) => {
    await watchPool.end();
    throw error;
  });
  log.info({ url: server.url }, 'operations are served');
  return async () => {
    await server.stop();
    await watchPool.end();
  };
}
