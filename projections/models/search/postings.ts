import { bucketOfHash } from './exact.ts';
import type { ListFacet } from './facets.ts';
import { sortedDistinct } from './rank-set.ts';

/** One spelling of a facet value. */
export interface IndexedFacetValue {
  readonly facet: ListFacet;
  readonly value: string;
  readonly folded: string;
  /** Release groups that have it. */
  documents: number;
}

/** References of a document: `refs[starts[document]]` up to `refs[starts[document + 1]]`. */
export interface DocumentRefs {
  readonly refs: Uint32Array;
  readonly starts: Uint32Array;
}

/** What a posting list is keyed by: a word, a prefix of words, or a folded facet value. */
type PostingKind = 'word' | 'prefix' | ListFacet;

export interface Posting {
  readonly kind: PostingKind;
  readonly term: string;
  /** Ranks of the release groups that have the term, sorted. */
  readonly anywhere: Uint32Array;
  /** Ranks with the term in the title; null for facet values. */
  readonly inTitle: Uint32Array | null;
}

/** Release groups by whole-text hash: alternating hash and rank, ordered by rank. */
export interface ExactBucket {
  readonly bucket: number;
  readonly pairs: Uint32Array;
}

/**
 * A prefix shared by at least this many words has its own list; shorter unions are computed per query. So a prefix never
 * reads more than this many lists.
 */
const FREQUENT_PREFIX_WORDS = 64;

/** @param refs the number of a word times two, plus one if it is in the title */
export function* wordPostings(
  numbers: ReadonlyMap<string, number>,
  refs: DocumentRefs,
  order: Uint32Array,
): Iterable<Posting> {
  const lists = numbers.size;
  const anywhere = invert(refs, order, { lists, listFor: (ref) => ref >>> 1 });
  const inTitle = invert(refs, order, { lists, listFor: (ref) => ((ref & 1) === 1 ? ref >>> 1 : -1) });
  for (const [term, number] of numbers)
    yield { kind: 'word', term, anywhere: listOf(anywhere, number), inTitle: listOf(inTitle, number) };
  const sorted = [...numbers].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const { prefix, from, to } of frequentPrefixes(sorted, { from: 0, to: sorted.length })) {
    const own = sorted.slice(from, to).map(([, number]) => number);
    yield {
      kind: 'prefix',
      term: prefix,
      anywhere: union(anywhere, own, order.length),
      inTitle: union(inTitle, own, order.length),
    };
  }
}

/** Posting lists by folded value: spellings that differ only in case share one. */
export function* valuePostings(
  values: readonly IndexedFacetValue[],
  refs: DocumentRefs,
  order: Uint32Array,
): Iterable<Posting> {
  const lists = invert(refs, order, { lists: values.length, listFor: (ref) => ref });
  const byTerm = Map.groupBy(values.keys(), (number) => `${values[number]?.facet} ${values[number]?.folded}`);
  for (const numbers of byTerm.values()) {
    const [first = 0] = numbers;
    const value = values[first];
    if (value === undefined) continue;
    const anywhere = numbers.length === 1 ? listOf(lists, first) : union(lists, numbers, order.length);
    yield { kind: value.facet, term: value.folded, anywhere, inTitle: null };
  }
}

export function* exactBuckets(exact: DocumentRefs, order: Uint32Array, bits: number): Iterable<ExactBucket> {
  const inverted = invert(exact, order, {
    lists: 2 ** bits,
    listFor: (hash) => bucketOfHash(hash, bits),
    withRef: true,
  });
  for (let bucket = 0; bucket < 2 ** bits; bucket++) {
    const pairs = listOf(inverted, bucket);
    if (pairs.length > 0) yield { bucket, pairs };
  }
}

/** Lists by number: `entries[starts[number]]` up to `entries[starts[number + 1]]`. */
interface Lists {
  readonly starts: Uint32Array;
  readonly entries: Uint32Array;
}

const listOf = ({ starts, entries }: Lists, number: number): Uint32Array =>
  entries.subarray(starts[number], starts[number + 1]);

interface Inversion {
  /** How many lists there are. */
  readonly lists: number;
  /** The list that a reference belongs to; negative for none. */
  readonly listFor: (ref: number) => number;
  /** Puts the reference itself before each rank. */
  readonly withRef?: boolean;
}

/** Inverts references to sorted lists of ranks. */
function invert(
  { refs, starts }: DocumentRefs,
  order: Uint32Array,
  { lists, listFor, withRef = false }: Inversion,
): Lists {
  const width = withRef ? 2 : 1;
  const listStarts = new Uint32Array(lists + 1);
  for (let at = 0; at < refs.length; at++) {
    const list = listFor(refs[at] ?? 0);
    if (list >= 0) listStarts[list + 1] = (listStarts[list + 1] ?? 0) + width;
  }
  for (let list = 0; list < lists; list++)
    listStarts[list + 1] = (listStarts[list + 1] ?? 0) + (listStarts[list] ?? 0);
  const entries = new Uint32Array(listStarts[lists] ?? 0);
  const next = listStarts.slice(0, lists);
  for (let rank = 0; rank < order.length; rank++) {
    const document = order[rank] ?? 0;
    const end = starts[document + 1] ?? 0;
    for (let at = starts[document] ?? 0; at < end; at++) {
      const ref = refs[at] ?? 0;
      const list = listFor(ref);
      if (list < 0) continue;
      let position = next[list] ?? 0;
      if (withRef) entries[position++] = ref;
      entries[position++] = rank;
      next[list] = position;
    }
  }
  return { starts: listStarts, entries };
}

/** The ranks in any of the lists, sorted. */
function union(lists: Lists, numbers: readonly number[], size: number): Uint32Array {
  const own = numbers.map((number) => listOf(lists, number));
  const total = own.reduce((sum, { length }) => sum + length, 0);
  // Dense unions sort faster through a bitmap.
  if (total > size >>> 5) return unionByBitmap(own, size);
  const all = new Uint32Array(total);
  let at = 0;
  for (const list of own) {
    all.set(list, at);
    at += list.length;
  }
  return sortedDistinct(all);
}

function unionByBitmap(lists: readonly Uint32Array[], size: number): Uint32Array {
  const isMember = new Uint8Array(size);
  let count = 0;
  for (const list of lists) {
    for (let index = 0; index < list.length; index++) {
      const rank = list[index] ?? 0;
      count += 1 - (isMember[rank] ?? 0);
      isMember[rank] = 1;
    }
  }
  const ranks = new Uint32Array(count);
  let at = 0;
  for (let rank = 0; rank < size; rank++) if (isMember[rank] === 1) ranks[at++] = rank;
  return ranks;
}

interface WordRange {
  readonly prefix: string;
  readonly from: number;
  readonly to: number;
}

/** The prefixes that many words share, among sorted words with a common prefix of `length - 1`. */
function* frequentPrefixes(
  sorted: readonly (readonly [string, number])[],
  { from, to }: Omit<WordRange, 'prefix'>,
  length = 1,
): Iterable<WordRange> {
  for (let at = from; at < to; ) {
    const word = sorted[at]?.[0] ?? '';
    if (word.length < length) {
      at++;
      continue;
    }
    const prefix = word.slice(0, length);
    let end = at + 1;
    while (end < to && sorted[end]?.[0].startsWith(prefix)) end++;
    if (end - at >= FREQUENT_PREFIX_WORDS) {
      // No query ends within a surrogate pair.
      if (prefix.isWellFormed()) yield { prefix, from: at, to: end };
      yield* frequentPrefixes(sorted, { from: at, to: end }, length + 1);
    }
    at = end;
  }
}
