/**
 * Limits how often `write` runs, such as one log line a second during an outage.
 *
 * @returns calls `write` unless it ran in the last `ms`; `skipped` counts the calls since then that did not run
 */
export function throttle(
  ms: number,
  now: () => number = () => performance.now(),
): (write: (skipped: number) => void) => void {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let skipped = 0;
  return (write) => {
    const at = now();
    if (at - writtenAt < ms) {
      skipped++;
      return;
    }
    writtenAt = at;
    write(skipped);
    skipped = 0;
  };
}
