/**
 * The value that the given share of values does not exceed, by the nearest rank; NaN for no values.
 *
 * @param share above 0, up to 1
 */
export function percentile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle; NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** How far the values lie apart: the greatest less the least, as a share of the greatest. */
export const spread = (values: readonly number[]): number =>
  (Math.max(...values) - Math.min(...values)) / Math.max(...values);
