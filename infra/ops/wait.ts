import { parseArgs } from 'node:util';
import { type LogPosition, parsePositions } from '../../projections/freshness/position.ts';
import { positionWaiter } from '../../projections/freshness/wait-visible.ts';
import { type Command, usageError } from './command.ts';
import { withPool } from './database.ts';

const LONGEST_SECONDS = 86_400;

function positionsOf(texts: readonly string[]): readonly LogPosition[] {
  if (texts.length === 0) throw usageError('name a position as topic:partition:offset');
  const positions = parsePositions(texts.join(','));
  if ('problem' in positions) throw usageError(`a position ${positions.problem}`);
  return positions;
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds > LONGEST_SECONDS)
    throw usageError(`--timeout is a number of seconds up to ${LONGEST_SECONDS}, not "${text}"`);
  return seconds;
}

export const wait: Command = {
  usage: ['wait TOPIC:PARTITION:OFFSET... [--timeout SECONDS]'],
  async run(args, print) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { timeout: { type: 'string', default: '30' } },
      allowPositionals: true,
    });
    const positions = positionsOf(positionals);
    const seconds = secondsOf(values.timeout);
    let failure: unknown = null;
    const { sight, waitedMs } = await withPool(async (pool) => {
      const waiter = positionWaiter(pool, (error) => {
        failure = error;
      });
      try {
        return await waiter.wait(positions, seconds * 1000);
      } finally {
        waiter.stop();
      }
    });
    if (sight === 'refused')
      throw new Error(`a record is in the dead letters, and has no effect: ${positionals.join(' ')}`);
    const why = failure === null ? '' : ` (${failure})`;
    if (sight !== 'visible')
      throw new Error(
        `not visible after ${seconds} s: ${positionals.join(' ')}${why}; how far its readers are: positions list --topic TOPIC`,
      );
    print(`visible after ${(waitedMs / 1000).toFixed(1)} s`);
  },
};
