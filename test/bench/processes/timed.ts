import { mean } from '../interleave.ts';
import { processorTime } from './resources.ts';

/** What was done for a load, with the processor time of the process that did it. */
export type Timed<R> = R & {
  /** Microseconds a request; null if the system does not report it. */
  readonly processor: number | null;
};

/** @param run sends requests to the process, and resolves to their durations */
export async function withProcessorTime<R extends { readonly latencies: Float64Array }>(
  pid: number,
  run: () => Promise<R>,
): Promise<Timed<R>> {
  const before = processorTime(pid);
  const result = await run();
  const after = processorTime(pid);
  const isKnown = before !== null && after !== null;
  return { ...result, processor: isKnown ? ((after - before) * 1_000) / result.latencies.length : null };
}

/** Less disturbed by what else the machine does than the rate is. */
export function processorNote(results: readonly Timed<unknown>[]): string {
  const known = results.flatMap(({ processor }) => processor ?? []);
  return known.length === 0 ? 'unknown' : `${Math.round(mean(known))} µs`;
}
