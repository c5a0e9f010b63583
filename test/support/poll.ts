import { setTimeout as pause } from 'node:timers/promises';

export interface PollOptions {
  /** Names the condition in the error of a poll that times out. Default: the source of the check. */
  readonly what?: string;
  /** Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** Pause between two checks. Default: 20 milliseconds. */
  readonly intervalMs?: number;
  /** Other errors that mean "not yet". */
  readonly retryOn?: (error: unknown) => boolean;
}

/**
 * Repeats a check until it holds, and resolves to what it returned. For every wait for another process; `expect.poll`
 * serves a test that waits for one value.
 *
 * A check holds when it returns anything but `false` and throws nothing. A failed assertion means "not yet"; any other
 * error ends the poll.
 *
 * @throws Error that names the condition, with the last retried error as its cause, when the time runs out
 */
export async function pollUntil<T>(
  check: () => T | Promise<T>,
  { what = String(check), timeoutMs = 30_000, intervalMs = 20, retryOn = () => false }: PollOptions = {},
): Promise<Exclude<T, false>> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let cause: unknown;
  let isOver = false;
  // A timer and not a deadline between checks, so that a check that hangs is bounded too.
  const timer = setTimeout(
    () => reject(new Error(`not within ${timeoutMs / 1_000} s: ${what}`, { cause })),
    timeoutMs,
  );
  const poll = async (): Promise<Exclude<T, false>> => {
    while (!isOver) {
      try {
        const result = await check();
        if (result !== false) return result as Exclude<T, false>;
      } catch (error) {
        if (!isFailedAssertion(error) && !retryOn(error)) throw error;
        cause = error;
      }
      await pause(intervalMs);
    }
    return timeout;
  };
  try {
    return await Promise.race([poll(), timeout]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

const isFailedAssertion = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AssertionError';
