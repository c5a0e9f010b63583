import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { connect } from '../../db/connect.ts';
import { freshnessMetrics } from '../../projections/freshness/freshness-metrics.ts';
import { readinessOf } from '../../projections/freshness/readiness.ts';
import type { Finding } from '../../projections/observe/cause.ts';
import {
  type MetricsSource,
  type OperationsServer,
  serveOperations,
} from '../../projections/observe/operations-server.ts';
import { processMetrics } from '../../projections/observe/process-metrics.ts';
import type { Watchdog } from '../../projections/observe/watchdog.ts';
import { workerMetrics } from './metrics.ts';
import { watchdog as ofProcess } from './watchdog.ts';

/** Short time-outs: a database that does not answer within them counts as one that does not answer. */
const WATCH_TIMEOUT_MS = 2_000;

export interface WorkerOperations {
  readonly databaseUrl: string;
  /** Where to serve; nothing is served without one. */
  readonly port: number | undefined;
  readonly host: string;
  /** The pool that the worker works with, whose use is shown. */
  readonly pool: Pool;
  /** Whether the worker makes documents. */
  readonly needsReadModels: boolean;
  /** What else keeps it from doing its work. */
  readonly findings?: () => readonly Finding[];
  /** What else it shows of itself. */
  readonly metrics?: readonly MetricsSource[];
  readonly watchdog?: Watchdog;
  readonly log: Logger;
}

/**
 * Serves `/metrics`, `/health` and `/ready` of a worker, from the moment it starts: before its dependencies are there.
 *
 * @returns null where no port is given
 */
export async function serveWorker(options: WorkerOperations): Promise<OperationsServer | null> {
  const { databaseUrl, port, host, log, watchdog = ofProcess } = options;
  if (port === undefined) return null;
  const pool = connect(databaseUrl, 'watch', {
    max: 1,
    connectionTimeoutMillis: WATCH_TIMEOUT_MS,
    statement_timeout: WATCH_TIMEOUT_MS,
    query_timeout: WATCH_TIMEOUT_MS,
  });
  const { needsReadModels, findings: further = () => [] } = options;
  const server = await serveOperations({
    port,
    host,
    watchdog,
    readiness: readinessOf(pool, { needsReadModels, further }),
    metrics: [
      processMetrics({ work: options.pool }),
      workerMetrics,
      freshnessMetrics(pool),
      ...(options.metrics ?? []),
    ],
  });
  log.info({ url: server.url }, 'operations are served');
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await pool.end();
    },
  };
}
