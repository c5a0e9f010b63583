import { SingleBar } from 'cli-progress';

export interface Progress {
  advance(by: number): void;
  done(): void;
}

/** A bar with rate and time left on a terminal; a line at the end elsewhere. */
export function startProgress(label: string, total: number, unit: string): Progress {
  const startedAt = performance.now();
  let count = 0;
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: `${label.padEnd(28)} {bar} {percentage}% | {value}/{total} ${unit} | {rate}/s | {eta_formatted} left`,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        fps: 8,
      })
    : null;
  bar?.start(total, 0, { rate: 0 });
  const rate = () => Math.round(count / Math.max(0.001, (performance.now() - startedAt) / 1000));
  return {
    advance(by) {
      count += by;
      bar?.update(Math.min(count, total), { rate: rate() });
    },
    done() {
      bar?.update(total, { rate: rate() });
      bar?.stop();
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      if (bar === null) process.stderr.write(`${label}: ${count} ${unit} in ${seconds} s\n`);
    },
  };
}
