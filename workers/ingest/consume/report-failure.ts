import type { Logger } from 'pino';
import type { TopicPartition } from '../apply/position.ts';
import { LogGap } from './check-log.ts';
import type { AssignedPartition } from './partition-state.ts';

/** Logs why one partition does not go on while the others do. */
export function reportFailure(
  log: Logger,
  { topicPartition, position, failures }: AssignedPartition,
  { error, retryMs }: { readonly error: unknown; readonly retryMs: number },
): void {
  const { topic, partition } = topicPartition;
  const { attempts = 1, kind } = failures ?? {};
  const details = { topic, partition, position, attempts, err: error };
  if (kind === 'contention') {
    log.warn({ ...details, retryMs }, 'the partition waits for another transaction');
  } else if (kind === 'schemas') {
    log.error({ ...details, retryMs }, 'the partition waits for the schema registry');
  } else if (error instanceof LogGap) {
    log.error(
      { ...details, accept: acceptCommand(topicPartition, error) },
      'the partition is stopped: its log does not continue at the position; an operator may move the position',
    );
  } else {
    log.error(
      { ...details, retryMs },
      'the partition is stopped: this release fails on its records; they wait for another release',
    );
  }
}

/** The command by which an operator accepts the loss. */
const acceptCommand = ({ group, topic, partition }: TopicPartition, { start }: LogGap): string =>
  `npm run ops -- positions set --group ${group} --topic ${topic} --partition ${partition} --to ${start} --why TEXT`;
