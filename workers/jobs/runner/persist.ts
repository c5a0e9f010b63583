import { backoffMs } from '../../backoff.ts';
import { pause } from '../../until-it-works.ts';

const PAUSE_MS = { first: 100, most: 10_000 };

/**
 * Tries until it works, with longer and longer pauses. Unlike a wait that is left to itself when the signal comes,
 * an attempt under way is waited for, so that what it took hold of is in somebody's hands.
 *
 * @throws the signal's reason once it is aborted
 */
export async function persist<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown, retryMs: number) => void,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const retryMs = Math.round(backoffMs(failures, PAUSE_MS));
      onFailure(error, retryMs);
      await pause(retryMs, signal);
    }
  }
}
