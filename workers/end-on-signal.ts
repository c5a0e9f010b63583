import type { Logger } from 'pino';

/** Ends the process in order on SIGINT or SIGTERM: finishes what is in hand, then exits. */
export function endOnSignal(log: Logger, stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
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
