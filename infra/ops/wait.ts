import { parsePositions, type WaitTarget } from '../../projections/engine/freshness/position.ts';
import { positionWaiter, UnknownTopic } from '../../projections/engine/freshness/wait-visible.ts';
import { type AddCommand, usageError } from './command.ts';
import { withPool } from './database.ts';

const LONGEST_SECONDS = 86_400;

function positionsOf(texts: readonly string[]): readonly WaitTarget[] {
  const positions = parsePositions(texts.join(','));
  if ('problem' in positions) throw usageError(`a position ${positions.problem}`);
  return positions;
}

function seconds(text: string): number {
  const number = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || number > LONGEST_SECONDS)
    throw usageError(`It must be a number of seconds up to ${LONGEST_SECONDS}.`);
  return number;
}

export const addWait: AddCommand = (program, print) =>
  program
    .command('wait')
    .description('Wait until the changes at these positions are visible in the API.')
    .argument(
      '<position...>',
      'topic:partition:offset, or TABLE@LSN or TABLE@TXID of the producer’s database',
    )
    .option('--timeout <seconds>', 'fail after so many seconds', seconds, 30)
    .action(async (texts, { timeout }) => {
      const positions = positionsOf(texts);
      let failure: unknown = null;
      const { outcome, waitedMs } = await withPool(async (pool) => {
        const waiter = positionWaiter(pool, (error) => {
          failure = error;
        });
        try {
          return await waiter.wait(positions, timeout * 1000);
        } catch (error) {
          throw error instanceof UnknownTopic ? usageError(`a position ${error.message}`) : error;
        } finally {
          waiter.stop();
        }
      });
      if (outcome === 'dead letter')
        throw new Error(`a record became a dead letter, and has no effect: ${texts.join(' ')}`);
      const why = failure === null ? '' : ` (${failure})`;
      if (outcome !== 'visible')
        throw new Error(
          `not visible after ${timeout} s: ${texts.join(' ')}${why}; to see the positions of the consumers: positions list --topic TOPIC`,
        );
      print(`visible after ${(waitedMs / 1000).toFixed(1)} s`);
    });
