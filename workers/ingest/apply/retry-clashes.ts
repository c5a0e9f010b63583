import { ConcurrentWrite } from './mirror.ts';
import { EpochRaised } from './standing.ts';

/** Tries before a clash with another writer counts as a fault of the system. */
const ATTEMPTS = 12;
const DEADLOCK = '40P01';

/**
 * Runs a transaction that applies changes, again where it clashed with another.
 *
 * @param afterClash makes ready for the next try
 */
export async function retryClashes<T>(
  run: () => Promise<T>,
  afterClash: (error: unknown) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isClash(error)) throw error;
      await afterClash(error);
    }
  }
}

const isClash = (error: unknown): boolean =>
  error instanceof ConcurrentWrite ||
  error instanceof EpochRaised ||
  (error as { code?: string }).code === DEADLOCK;
