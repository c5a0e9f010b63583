import type { Numbers } from './growing-array.ts';

/** Stored for an unknown number. */
export const UNKNOWN = -(2 ** 31);
export const NO_QUADRANT = 255;

/** Data of every release group of a segment, by rank; rank 0 is the most popular. */
export interface SegmentColumns {
  readonly ids: Float64Array;
  /** `UNKNOWN` if there is no number. */
  readonly owners: Int32Array;
  readonly djs: Int32Array;
  readonly years: Int32Array;
  /** The three bits as a number; `NO_QUADRANT` if unclassified. */
  readonly quadrants: Uint8Array;
  /** Facet value numbers of a rank: `values[starts[rank]]` up to `values[starts[rank + 1]]`. */
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
  /** Ranks in the order of the ids. */
  readonly byId: Uint32Array;
}

export type ColumnName = keyof SegmentColumns;

/** Builds each column from its little-endian bytes, the byte order of every processor that Node runs on. */
export const columnTypes: { readonly [Name in ColumnName]: (bytes: ArrayBuffer) => SegmentColumns[Name] } = {
  ids: (bytes) => new Float64Array(bytes),
  owners: (bytes) => new Int32Array(bytes),
  djs: (bytes) => new Int32Array(bytes),
  years: (bytes) => new Int32Array(bytes),
  quadrants: (bytes) => new Uint8Array(bytes),
  starts: (bytes) => new Uint32Array(bytes),
  values: (bytes) => new Uint32Array(bytes),
  byId: (bytes) => new Uint32Array(bytes),
};

export const columnNames = Object.keys(columnTypes) as ColumnName[];

export const bytesOf = (numbers: Numbers): Buffer =>
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** A count clamped to the 31 bits that a column stores. */
export const storedCount = (count: number | null): number =>
  count === null ? UNKNOWN : Math.min(Math.max(count, UNKNOWN + 1), 2 ** 31 - 1);

type Popularity = Pick<SegmentColumns, 'ids' | 'owners' | 'djs'>;

/** Compares ranks of one or two segments by owners, then plays by DJs, then id, so no two are equal. */
export const byPopularity =
  (a: Popularity, b: Popularity = a) =>
  (rankA: number, rankB: number): number =>
    (b.owners[rankB] ?? 0) - (a.owners[rankA] ?? 0) ||
    (b.djs[rankB] ?? 0) - (a.djs[rankA] ?? 0) ||
    (a.ids[rankA] ?? 0) - (b.ids[rankB] ?? 0);

/** The rank of a release group; -1 if the segment does not contain it. */
export function rankOfId({ ids, byId }: SegmentColumns, id: number): number {
  let low = 0;
  let high = byId.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const rank = byId[middle] ?? 0;
    const found = ids[rank] ?? 0;
    if (found === id) return rank;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
