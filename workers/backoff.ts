/** Bounds of the pauses between tries, in milliseconds. */
export interface Backoff {
  readonly first: number;
  readonly most: number;
}

/**
 * How long to wait after so many failures in a row, in milliseconds: twice as long each time, within the bounds, and
 * spread, so that those that failed together do not come back together.
 */
export function backoffMs(failures: number, { first, most }: Backoff): number {
  const longest = Math.min(first * 2 ** Math.max(0, failures - 1), most);
  return longest * (0.5 + Math.random() / 2);
}
