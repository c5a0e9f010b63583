import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { Cause } from './cause.ts';
import type { Watchdog } from './watchdog.ts';

/** Something that writes its metrics in Prometheus' text format. */
export interface MetricsSource {
  metrics(): Promise<string>;
}

export interface OperationsOptions {
  /** 0 takes any free one. */
  readonly port: number;
  readonly host: string;
  readonly watchdog: Watchdog;
  /** What keeps the process from doing its work; empty where nothing does. */
  readonly readiness: () => Promise<readonly Cause[]>;
  readonly metrics: readonly MetricsSource[];
}

export interface OperationsServer {
  readonly url: string;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

const verdict = (good: string, bad: string, causes: readonly Cause[]): Answer =>
  causes.length === 0 ? json(200, { status: good }) : json(503, { error: bad, causes });

/**
 * Serves `/metrics`, `/health` and `/ready` of a process to those who operate it. Nothing that watches the event loop
 * is needed: where it is blocked, nobody answers.
 */
export async function serveOperations(options: OperationsOptions): Promise<OperationsServer> {
  const server = createServer((request, response) => {
    answerTo(request.url ?? '', options).then(
      (answer) => send(response, answer),
      () => send(response, json(500, { error: 'internal_error' })),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerTo(url: string, options: OperationsOptions): Promise<Answer> {
  switch (url.split('?', 1)[0]) {
    case '/health':
      return verdict('ok', 'unhealthy', options.watchdog.overdue());
    case '/ready':
      return verdict('ready', 'not_ready', await options.readiness());
    case '/metrics': {
      const texts = await Promise.all(options.metrics.map((source) => source.metrics()));
      return { status: 200, type: Registry.PROMETHEUS_CONTENT_TYPE, body: texts.join('') };
    }
    default:
      return json(404, { error: 'not_found' });
  }
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
