import { pause } from '../../infra/runtime/retry.ts';

/** Pause of a step without work before the next poll. */
const POLL_MS = 1_000;

/** Does one unit of work. Returns false if there was none. */
type Step = () => Promise<boolean>;

interface StepLimits {
  /** On the clock of `performance.now()`; no step starts after it. */
  readonly endAt: number;
  readonly signal: AbortSignal;
  readonly pollMs?: number | undefined;
}

/**
 * Repeats several steps concurrently. A step without work polls again while another has work, so that new work starts
 * soon. Ends when no step has work or one fails, and waits for all running steps first.
 *
 * @throws the signal's reason, else the error of a step
 */
export async function runConcurrently(
  steps: readonly Step[],
  { endAt, signal, pollMs = POLL_MS }: StepLimits,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const busy = new Set(steps);
  const repeat = async (step: Step): Promise<void> => {
    while (!stop.signal.aborted && performance.now() < endAt) {
      signal.throwIfAborted();
      busy.add(step);
      if (await step()) continue;
      busy.delete(step);
      if (busy.size === 0) stop.abort();
      else await pause(pollMs, either);
    }
  };
  const ended = await Promise.allSettled(
    steps.map((step) =>
      repeat(step).catch((error) => {
        stop.abort();
        throw error;
      }),
    ),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
