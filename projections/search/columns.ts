import type { Numbers } from './growing.ts';

/** Stands for a number that is not known. */
export const UNKNOWN = -(2 ** 31);
export const NO_QUADRANT = 255;

/** What is known of every release group of a segment without reading it: the most popular one is the first. */
export interface Columns {
  readonly ids: Float64Array;
  /** `UNKNOWN` where there is no number. */
  readonly owners: Int32Array;
  readonly djs: Int32Array;
  readonly years: Int32Array;
  /** The three bits as a number; `NO_QUADRANT` where not classified. */
  readonly quadrants: Uint8Array;
  /** `values[starts[rank]]` up to `values[starts[rank + 1]]` are the numbers of its facet values. */
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
  /** Ranks in the order of the ids. */
  readonly byId: Uint32Array;
}

export type ColumnName = keyof Columns;

/** How each column is made of its bytes, which are little-endian, as every processor has them that Node runs on. */
export const columnTypes: { readonly [Name in ColumnName]: (bytes: ArrayBuffer) => Columns[Name] } = {
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

/** A count as it is kept, which has room for 31 bits. */
export const storedCount = (count: number | null): number =>
  count === null ? UNKNOWN : Math.min(Math.max(count, UNKNOWN + 1), 2 ** 31 - 1);

type Popularity = Pick<Columns, 'ids' | 'owners' | 'djs'>;

/** By popularity: owners, then plays by DJs, then the id, so that no two are equal. Negative where the first comes first. */
export const comparePopularity = (a: Popularity, rankA: number, b: Popularity, rankB: number): number =>
  (b.owners[rankB] ?? 0) - (a.owners[rankA] ?? 0) ||
  (b.djs[rankB] ?? 0) - (a.djs[rankA] ?? 0) ||
  (a.ids[rankA] ?? 0) - (b.ids[rankB] ?? 0);

/** The rank of a release group; -1 where the segment does not hold it. */
export function rankOfId({ ids, byId }: Columns, id: number): number {
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
