import { SingleBar } from 'cli-progress';

export interface ProgressBar {
  advance(by: number): void;
  done(): void;
  /** Ends the bar before its total. */
  stop(): void;
}

interface ProgressOptions {
  readonly total: number;
  readonly unit: string;
  /** The part done before, which does not count for the rate. */
  readonly from?: number;
}

/** A bar with rate and time left on a terminal, and one line at the end elsewhere. */
export function startProgress(label: string, { total, unit, from = 0 }: ProgressOptions): ProgressBar {
  const startedAt = performance.now();
  let count = from;
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: `${label.padEnd(28)} {bar} {percentage}% | {value}/{total} ${unit} | {rate}/s | {eta_formatted} left`,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        fps: 8,
      })
    : null;
  bar?.start(total, from, { rate: 0 });
  const rate = () => Math.round((count - from) / Math.max(0.001, (performance.now() - startedAt) / 1000));
  const stop = () => {
    bar?.stop();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (bar === null) process.stderr.write(`${label}: ${count - from} ${unit} in ${seconds} s\n`);
  };
  return {
    advance(by) {
      count += by;
      bar?.update(Math.min(count, total), { rate: rate() });
    },
    done() {
      bar?.update(total, { rate: rate() });
      stop();
    },
    stop,
  };
}
