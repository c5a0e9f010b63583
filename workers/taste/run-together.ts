import { pause } from '../until-it-works.ts';

/** How long one that found nothing to do waits before it looks again. */
const LOOK_MS = 1_000;

/** Does a piece of work. False where there is none at the moment. */
type Step = () => Promise<boolean>;

interface Together {
  /** Of `performance.now()`; no step is begun after it. */
  readonly endAt: number;
  readonly signal: AbortSignal;
  readonly lookMs?: number | undefined;
}

/**
 * Takes steps of several kinds side by side. One that finds nothing to do looks again for as long as another has work, so
 * that what comes meanwhile does not wait for the other's end. Ends when none has any, or when one has failed; each step is
 * waited for, so that nothing goes on when this has ended.
 *
 * @throws the signal's reason, else what a step threw
 */
export async function runTogether(
  steps: readonly Step[],
  { endAt, signal, lookMs = LOOK_MS }: Together,
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const busy = new Set(steps);
  const repeat = async (step: Step): Promise<void> => {
    while (!over.signal.aborted && performance.now() < endAt) {
      signal.throwIfAborted();
      busy.add(step);
      if (await step()) continue;
      busy.delete(step);
      if (busy.size === 0) over.abort();
      else await pause(lookMs, either);
    }
  };
  const ended = await Promise.allSettled(
    steps.map((step) =>
      repeat(step).catch((error) => {
        over.abort();
        throw error;
      }),
    ),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
