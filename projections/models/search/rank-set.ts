/**
 * A set of ranks below the size of a segment: a sorted list if sparse, else a bitmap, which is smaller from one rank in
 * 32 on.
 */
export type RankSet =
  | { readonly kind: 'list'; readonly ranks: Uint32Array }
  | { readonly kind: 'bits'; readonly bits: Uint32Array; readonly count: number };

export const EMPTY: RankSet = { kind: 'list', ranks: new Uint32Array() };

export const sizeOf = (set: RankSet): number => (set.kind === 'list' ? set.ranks.length : set.count);

export const bytesIn = (set: RankSet): number =>
  set.kind === 'list' ? set.ranks.byteLength : set.bits.byteLength;

const wordsFor = (size: number): number => (size + 31) >>> 5;
const isDense = (count: number, size: number): boolean => count > size >>> 5;

/** @param ranks sorted, each once */
export function setOf(ranks: Uint32Array, size: number): RankSet {
  return isDense(ranks.length, size)
    ? { kind: 'bits', bits: bitsOf(ranks, size), count: ranks.length }
    : { kind: 'list', ranks };
}

/** @param ranks in any order */
function bitsOf(ranks: Uint32Array, size: number): Uint32Array {
  const bits = new Uint32Array(wordsFor(size));
  for (let index = 0; index < ranks.length; index++) setBit(bits, ranks[index] ?? 0);
  return bits;
}

export function setBit(bits: Uint32Array, rank: number): void {
  bits[rank >>> 5] = (bits[rank >>> 5] ?? 0) | (1 << (rank & 31));
}

const hasBit = (bits: Uint32Array, rank: number): boolean =>
  ((bits[rank >>> 5] ?? 0) & (1 << (rank & 31))) !== 0;

export const noBits = (size: number): Uint32Array => new Uint32Array(wordsFor(size));

/** The set of all ranks. */
export function everything(size: number): RankSet {
  const bits = noBits(size).fill(0xffffffff);
  if ((size & 31) !== 0) bits[bits.length - 1] = 2 ** (size & 31) - 1;
  return { kind: 'bits', bits, count: size };
}

export function countBits(bits: Uint32Array): number {
  let count = 0;
  for (let index = 0; index < bits.length; index++) {
    let word = bits[index] ?? 0;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** @param bits must not change afterwards */
export function setOfBits(bits: Uint32Array, size: number): RankSet {
  const count = countBits(bits);
  const dense: RankSet = { kind: 'bits', bits, count };
  return isDense(count, size) ? dense : { kind: 'list', ranks: firstRanks(dense, count) };
}

export function has(set: RankSet, rank: number): boolean {
  if (set.kind === 'bits') return hasBit(set.bits, rank);
  const { ranks } = set;
  let low = 0;
  let high = ranks.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = ranks[middle] ?? 0;
    if (found === rank) return true;
    if (found < rank) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** The ranks that pass `isWanted`. */
export function filterSet(set: RankSet, size: number, isWanted: (rank: number) => boolean): RankSet {
  if (set.kind === 'list') return { kind: 'list', ranks: set.ranks.filter(isWanted) };
  const bits = set.bits.slice();
  for (let index = 0; index < bits.length; index++) {
    let left = bits[index] ?? 0;
    while (left !== 0) {
      const lowest = left & -left;
      if (!isWanted((index << 5) + 31 - Math.clz32(lowest))) bits[index] = (bits[index] ?? 0) & ~lowest;
      left ^= lowest;
    }
  }
  return setOfBits(bits, size);
}

/** The ranks in all sets; every rank if there are no sets. */
export function intersect(sets: readonly RankSet[], size: number): RankSet {
  const sorted = sets.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  const list = sorted.find(({ kind }) => kind === 'list');
  if (list?.kind === 'list') {
    const others = sorted.filter((set) => set !== list);
    return { kind: 'list', ranks: others.reduce(keepMembers, list.ranks) };
  }
  const [first, ...others] = sorted.flatMap((set) => (set.kind === 'bits' ? [set] : []));
  if (first === undefined) return everything(size);
  if (others.length === 0) return first;
  const bits = first.bits.slice();
  for (const other of others) {
    for (let index = 0; index < bits.length; index++)
      bits[index] = (bits[index] ?? 0) & (other.bits[index] ?? 0);
  }
  return setOfBits(bits, size);
}

/** Length ratio from which binary search beats walking the longer list. */
const WORTH_LOOKING_UP = 16;

function keepMembers(ranks: Uint32Array, other: RankSet): Uint32Array {
  if (other.kind === 'bits') return ranks.filter((rank) => hasBit(other.bits, rank));
  if (other.ranks.length > ranks.length * WORTH_LOOKING_UP) return ranks.filter((rank) => has(other, rank));
  let at = 0;
  return ranks.filter((rank) => {
    while (at < other.ranks.length && (other.ranks[at] ?? 0) < rank) at++;
    return other.ranks[at] === rank;
  });
}

/** The ranks in any of the sets. */
export function unite(sets: readonly RankSet[], size: number): RankSet {
  const [first = EMPTY, ...others] = sets;
  if (others.length === 0) return first;
  const total = sets.reduce((sum, set) => sum + sizeOf(set), 0);
  if (sets.every(({ kind }) => kind === 'list') && !isDense(total, size)) {
    const all = new Uint32Array(total);
    let at = 0;
    for (const set of sets) {
      if (set.kind === 'list') all.set(set.ranks, at);
      at += sizeOf(set);
    }
    return { kind: 'list', ranks: sortedDistinct(all) };
  }
  const bits = noBits(size);
  for (const set of sets) addTo(bits, set);
  return setOfBits(bits, size);
}

function addTo(bits: Uint32Array, set: RankSet): void {
  if (set.kind === 'list') {
    for (let index = 0; index < set.ranks.length; index++) setBit(bits, set.ranks[index] ?? 0);
  } else {
    for (let index = 0; index < bits.length; index++)
      bits[index] = (bits[index] ?? 0) | (set.bits[index] ?? 0);
  }
}

/** Sorts in place and drops duplicates. */
export function sortedDistinct(ranks: Uint32Array): Uint32Array {
  ranks.sort();
  let length = 0;
  for (let index = 0; index < ranks.length; index++) {
    if (index > 0 && ranks[index] === ranks[length - 1]) continue;
    ranks[length++] = ranks[index] ?? 0;
  }
  return ranks.subarray(0, length);
}

/** The ranks of a set that are not in the other. */
export function subtract(set: RankSet, other: RankSet, size: number): RankSet {
  if (sizeOf(other) === 0) return set;
  if (set.kind === 'list') return { kind: 'list', ranks: set.ranks.filter((rank) => !has(other, rank)) };
  const bits = set.bits.slice();
  if (other.kind === 'list') {
    for (const rank of other.ranks) bits[rank >>> 5] = (bits[rank >>> 5] ?? 0) & ~(1 << (rank & 31));
  } else {
    for (let index = 0; index < bits.length; index++)
      bits[index] = (bits[index] ?? 0) & ~(other.bits[index] ?? 0);
  }
  return setOfBits(bits, size);
}

/** Iterates over the ranks in ascending order; -1 after the last. */
export function walk(set: RankSet): () => number {
  if (set.kind === 'list') {
    const { ranks } = set;
    let at = 0;
    return () => (at < ranks.length ? (ranks[at++] ?? -1) : -1);
  }
  const { bits } = set;
  let index = 0;
  let left = bits[0] ?? 0;
  return () => {
    while (left === 0) {
      if (++index >= bits.length) return -1;
      left = bits[index] ?? 0;
    }
    const lowest = left & -left;
    left ^= lowest;
    return (index << 5) + 31 - Math.clz32(lowest);
  };
}

/** The lowest ranks of a set, at most `max`. */
export function firstRanks(set: RankSet, max: number): Uint32Array {
  if (set.kind === 'list') return set.ranks.subarray(0, max);
  const ranks = new Uint32Array(Math.min(max, set.count));
  const next = walk(set);
  for (let at = 0; at < ranks.length; at++) ranks[at] = next();
  return ranks;
}
