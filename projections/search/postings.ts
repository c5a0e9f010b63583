import { bucketOfHash } from './exact.ts';
import type { ListFacet } from './facets.ts';
import type { FacetValue, Refs } from './indexer.ts';
import { sortedOnce } from './rank-set.ts';

/** Under what release groups are listed: a word, the beginning of words, or a folded facet value. */
type PostingKind = 'word' | 'prefix' | ListFacet;

export interface Posting {
  readonly kind: PostingKind;
  readonly term: string;
  /** Ranks of the release groups that have it, sorted. */
  readonly anywhere: Uint32Array;
  /** Those that have it in the title; null where it is no word. */
  readonly inTitle: Uint32Array | null;
}

/** Release groups by the hashes of whole texts: a hash and a rank each, in the order of the ranks. */
export interface ExactBucket {
  readonly bucket: number;
  readonly pairs: Uint32Array;
}

/**
 * The beginning of so many words has a list of its own; the lists of fewer are put together when it is asked for. So
 * the beginning of a word never costs more than so many lists.
 */
const MANY_WORDS = 64;

/** @param refs the number of a word times two, plus one where it is in the title */
export function* wordPostings(
  numbers: ReadonlyMap<string, number>,
  refs: Refs,
  order: Uint32Array,
): Iterable<Posting> {
  const anywhere = invert(refs, order, numbers.size, (ref) => ref >>> 1);
  const inTitle = invert(refs, order, numbers.size, (ref) => ((ref & 1) === 1 ? ref >>> 1 : -1));
  for (const [term, number] of numbers)
    yield { kind: 'word', term, anywhere: listOf(anywhere, number), inTitle: listOf(inTitle, number) };
  const sorted = [...numbers].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const { prefix, from, to } of manyWords(sorted, 0, sorted.length, 1)) {
    const own = sorted.slice(from, to).map(([, number]) => number);
    yield {
      kind: 'prefix',
      term: prefix,
      anywhere: union(anywhere, own, order.length),
      inTitle: union(inTitle, own, order.length),
    };
  }
}

/** The lists by folded value: spellings that differ in case alone share one. */
export function* valuePostings(
  values: readonly FacetValue[],
  refs: Refs,
  order: Uint32Array,
): Iterable<Posting> {
  const lists = invert(refs, order, values.length, (ref) => ref);
  const byTerm = Map.groupBy(values.keys(), (number) => `${values[number]?.facet} ${values[number]?.folded}`);
  for (const numbers of byTerm.values()) {
    const [first = 0] = numbers;
    const value = values[first];
    if (value === undefined) continue;
    const anywhere = numbers.length === 1 ? listOf(lists, first) : union(lists, numbers, order.length);
    yield { kind: value.facet, term: value.folded, anywhere, inTitle: null };
  }
}

export function* exactBuckets(exact: Refs, order: Uint32Array, bits: number): Iterable<ExactBucket> {
  const inverted = invert(exact, order, 2 ** bits, (hash) => bucketOfHash(hash, bits), true);
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

/**
 * Lists of ranks by what documents refer to, each sorted because the documents are gone through by rank.
 *
 * @param listFor the number of the list that a reference belongs into; negative for none
 * @param withRef whether each rank is preceded by the reference itself
 */
function invert(
  { refs, starts }: Refs,
  order: Uint32Array,
  count: number,
  listFor: (ref: number) => number,
  withRef = false,
): Lists {
  const width = withRef ? 2 : 1;
  const listStarts = new Uint32Array(count + 1);
  for (let at = 0; at < refs.length; at++) {
    const list = listFor(refs[at] ?? 0);
    if (list >= 0) listStarts[list + 1] = (listStarts[list + 1] ?? 0) + width;
  }
  for (let list = 0; list < count; list++)
    listStarts[list + 1] = (listStarts[list + 1] ?? 0) + (listStarts[list] ?? 0);
  const entries = new Uint32Array(listStarts[count] ?? 0);
  const next = listStarts.slice(0, count);
  for (let rank = 0; rank < order.length; rank++) {
    const document = order[rank] ?? 0;
    const end = starts[document + 1] ?? 0;
    for (let at = starts[document] ?? 0; at < end; at++) {
      const ref = refs[at] ?? 0;
      const list = listFor(ref);
      if (list < 0) continue;
      let place = next[list] ?? 0;
      if (withRef) entries[place++] = ref;
      entries[place++] = rank;
      next[list] = place;
    }
  }
  return { starts: listStarts, entries };
}

/** The ranks in any of the lists, sorted. */
function union(lists: Lists, numbers: readonly number[], size: number): Uint32Array {
  const own = numbers.map((number) => listOf(lists, number));
  const total = own.reduce((sum, { length }) => sum + length, 0);
  // Many are sorted faster by marking each in its place.
  if (total > size >>> 5) return marked(own, size);
  const all = new Uint32Array(total);
  let at = 0;
  for (const list of own) {
    all.set(list, at);
    at += list.length;
  }
  return sortedOnce(all);
}

function marked(lists: readonly Uint32Array[], size: number): Uint32Array {
  const marks = new Uint8Array(size);
  let count = 0;
  for (const list of lists) {
    for (let index = 0; index < list.length; index++) {
      const rank = list[index] ?? 0;
      count += 1 - (marks[rank] ?? 0);
      marks[rank] = 1;
    }
  }
  const ranks = new Uint32Array(count);
  let at = 0;
  for (let rank = 0; rank < size; rank++) if (marks[rank] === 1) ranks[at++] = rank;
  return ranks;
}

interface WordRange {
  readonly prefix: string;
  readonly from: number;
  readonly to: number;
}

/** The beginnings that many words share, among sorted words that share all but the last character of one. */
function* manyWords(
  sorted: readonly (readonly [string, number])[],
  from: number,
  to: number,
  length: number,
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
    if (end - at >= MANY_WORDS) {
      // Half a character is nothing that can be asked for.
      if (prefix.isWellFormed()) yield { prefix, from: at, to: end };
      yield* manyWords(sorted, at, end, length + 1);
    }
    at = end;
  }
}
