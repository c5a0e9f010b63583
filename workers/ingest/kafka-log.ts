import { type logCreator, logLevel } from 'kafkajs';
import type { Logger } from 'pino';

/** Sends kafkajs's log lines to ours. */
export function kafkaLog(log: Logger): logCreator {
  const child = log.child({ library: 'kafkajs' });
  return () =>
    ({ level, log: { message, timestamp: _, ...details } }) => {
      if (level === logLevel.ERROR) child.error(details, message);
      else if (level === logLevel.WARN) child.warn(details, message);
      else if (level === logLevel.DEBUG) child.debug(details, message);
    };
}
