import type { Logger } from 'pino';

/** What a supervisor gives a process between asking and killing it, usually. */
const LONGEST_STOP_MS = 25_000;

/**
 * Ends the process in order on SIGINT or SIGTERM: finishes what is in hand, then exits. A second signal ends it at
 * once, and so does time, when what is in hand does not come to an end.
 */
export function endOnSignal(log: Logger, stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      setTimeout(() => {
        log.error('stopping takes too long; what is in hand is given up');
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
