import type { Logger } from 'pino';
import type { Place } from '../apply/position.ts';
import { LogGap } from './check-log.ts';
import type { Held } from './partition-state.ts';

/** Says why a single partition does not go on while the others do. */
export function reportTrouble(log: Logger, held: Held, error: unknown, retryMs: number): void {
  const { topic, partition } = held.place;
  const { attempts = 1, fault } = held.trouble ?? {};
  const details = { topic, partition, position: held.position, attempts, err: error };
  if (fault === 'contention') {
    log.warn({ ...details, retryMs }, 'another transaction is in the way; the partition waits');
  } else if (error instanceof LogGap) {
    log.error(
      { ...details, accept: acceptance(held.place, error) },
      'the partition is stopped: its log does not go on where it was read; an operator may let it go on elsewhere',
    );
  } else {
    log.error(
      { ...details, retryMs },
      'the partition is stopped: its records make this code fail, and wait for other code',
    );
  }
}

/** The command by which an operator takes what is lost for lost. */
const acceptance = ({ group, topic, partition }: Place, { start }: LogGap): string =>
  `npm run ops -- positions set --group ${group} --topic ${topic} --partition ${partition} --to ${start} --why TEXT`;
