import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** Supervisors usually kill a process 30 s after they asked it to stop. */
const LONGEST_STOP_MS = 25_000;

/**
 * Graceful shutdown on SIGINT or SIGTERM: runs `stop`, then exits. A second signal ends the process immediately; so does a
 * `stop` that takes longer than 25 s, with exit code 1.
 */
export function shutDownOnSignal(log: Logger, stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      setTimeout(() => {
        log.error('stopping takes too long; unfinished work is abandoned');
        process.exit(1);
      }, LONGEST_STOP_MS).unref();
      stop().then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, 'stopped with an error');
          process.exit(1);
        },
      );
    });
  }
}

/** Runs a process until a shutdown signal aborts its signal. Then it has 25 s to end. */
export function runUntilSignal(log: Logger, run: (signal: AbortSignal) => Promise<void>): void {
  const ending = new AbortController();
  const running = run(ending.signal);
  shutDownOnSignal(log, () => {
    ending.abort();
    return running;
  });
}

const CLOSE_IDLE_EVERY_MS = 50;
/** Longer than the deadline of every request: the connections left then only read their response too slowly. */
const CLOSE_ALL_AFTER_MS = 20_000;

/**
 * Stops listening and finishes the requests in flight. Closes connections as they become idle, because keep-alive would
 * otherwise hold a busy one open for its client's next request.
 */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const giveUp = setTimeout(() => app.server.closeAllConnections(), CLOSE_ALL_AFTER_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(giveUp);
  }
}
