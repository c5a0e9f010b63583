import { SingleBar } from 'cli-progress';

export interface Progress {
  advance(by: number): void;
  done(): void;
  /** Ends it where it is. */
  stop(): void;
}

/**
 * A bar with rate and time left on a terminal; a line at the end elsewhere.
 *
 * @param from how much was done before, which says nothing of the rate
 */
export function startProgress(label: string, total: number, unit: string, from = 0): Progress {
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
