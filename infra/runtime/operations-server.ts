import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Cause } from './cause.ts';
import { processWatchdog, type Watchdog } from './watchdog.ts';

/** A source of metrics in Prometheus' text format. */
export interface MetricsSource {
  metrics(): Promise<string>;
}

export interface OperationsOptions {
  /** 0 takes any free port; undefined serves nothing. */
  readonly port: number | undefined;
  readonly host: string;
  /** Default: that of the process. */
  readonly watchdog?: Watchdog;
  /** What keeps the process from its work; empty if nothing does. */
  readonly readiness: () => Promise<readonly Cause[]>;
  readonly metrics: readonly MetricsSource[];
  readonly log?: Logger;
}

export interface OperationsServer {
  readonly url: string;
  stop(): Promise<void>;
}

interface OperationsResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const RETRY_AFTER_SECONDS = '5';

const json = (status: number, body: object): OperationsResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

const outcome = (good: string, bad: string, causes: readonly Cause[]): OperationsResponse =>
  causes.length === 0 ? json(200, { status: good }) : json(503, { error: bad, causes });

/**
 * Serves `/metrics`, `/health` and `/ready` of a process to its operators. It needs no check of the event loop, because a
 * blocked process does not respond at all.
 *
 * @returns null without a port
 * @throws if the port is in use
 */
export async function serveOperations(options: OperationsOptions): Promise<OperationsServer | null> {
  if (options.port === undefined) return null;
  const server = createServer((request, response) => {
    respond(request.url ?? '', options).then(
      (body) => send(response, body),
      () => send(response, json(500, { error: 'internal_error' })),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`;
  options.log?.info({ url }, 'serving operations');
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(url: string, options: OperationsOptions): Promise<OperationsResponse> {
  switch (url.split('?', 1)[0]) {
    case '/health':
      return outcome('ok', 'unhealthy', (options.watchdog ?? processWatchdog).overdue());
    case '/ready':
      return outcome('ready', 'not_ready', await options.readiness());
    case '/metrics': {
      const texts = await Promise.all(options.metrics.map((source) => source.metrics()));
      return { status: 200, type: Registry.PROMETHEUS_CONTENT_TYPE, body: texts.join('') };
    }
    default:
      return json(404, { error: 'not_found' });
  }
}

function send(response: ServerResponse, { status, type, body }: OperationsResponse): void {
  const retry = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...retry }).end(body);
}
