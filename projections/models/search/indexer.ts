import { byPopularity, NO_QUADRANT, type SegmentColumns, storedCount } from './columns.ts';
import type { SearchDocument } from './document.ts';
import { bucketBits, exactHashes } from './exact.ts';
import { foldValue, type ListFacet, listFacets, valuesOf } from './facets.ts';
import { growingArray } from './growing-array.ts';
import {
  type DocumentRefs,
  type ExactBucket,
  exactBuckets,
  type IndexedFacetValue,
  type Posting,
  valuePostings,
  wordPostings,
} from './postings.ts';

/** A segment of the index: release groups by popularity rank, with the posting lists that find them. */
export interface SegmentIndex {
  readonly columns: SegmentColumns;
  /** The facet values by number. */
  readonly values: readonly IndexedFacetValue[];
  readonly exactBits: number;
  /** The posting lists of all words, of frequent prefixes and of all facet values. */
  postings(): Iterable<Posting>;
  buckets(): Iterable<ExactBucket>;
}

/** Collects documents in any order and builds a segment of them. */
export interface Indexer {
  add(document: SearchDocument): void;
  finish(): SegmentIndex;
  /** `finish` in steps, so other work can run in between. */
  steps(): Generator<undefined, SegmentIndex>;
}

export function createIndexer(): Indexer {
  const ids = growingArray((length) => new Float64Array(length));
  const owners = growingArray((length) => new Int32Array(length));
  const djs = growingArray((length) => new Int32Array(length));
  const years = growingArray((length) => new Int32Array(length));
  const quadrants = growingArray((length) => new Uint8Array(length));
  const words = referrer();
  const values = referrer();
  const hashes = growingArray((length) => new Uint32Array(length));
  const hashStarts = growingArray((length) => new Uint32Array(length));
  const facetValues: IndexedFacetValue[] = [];

  const addValues = (document: SearchDocument, facet: ListFacet): void => {
    for (const value of valuesOf(document, facet)) {
      const number = values.numberOf(`${facet} ${value}`);
      const known = facetValues[number];
      if (known === undefined) facetValues[number] = { facet, value, folded: foldValue(value), documents: 1 };
      else known.documents++;
      values.refs.push(number);
    }
  };

  function begin(): Generator<undefined, SegmentIndex> {
    hashStarts.push(hashes.length);
    return segmentOf({
      ids: ids.array(),
      owners: owners.array(),
      djs: djs.array(),
      years: years.array(),
      quadrants: quadrants.array(),
      numbers: words.numbers,
      words: words.finish(),
      values: values.finish(),
      facetValues,
      exact: { refs: hashes.array(), starts: hashStarts.array() },
    });
  }

  return {
    add(document) {
      const { row, title, artist } = document;
      ids.push(row.master_id);
      owners.push(storedCount(row.owner_count));
      djs.push(storedCount(row.dj_count));
      years.push(storedCount(row.year));
      quadrants.push(row.cube_quadrant === null ? NO_QUADRANT : Number.parseInt(row.cube_quadrant, 2));
      const inTitle = wordsIn(title);
      words.begin();
      for (const word of inTitle) words.refs.push(words.numberOf(word) * 2 + 1);
      for (const word of wordsIn(artist).difference(inTitle)) words.refs.push(words.numberOf(word) * 2);
      values.begin();
      for (const facet of listFacets) addValues(document, facet);
      hashStarts.push(hashes.length);
      for (const hash of exactHashes(title, artist)) hashes.push(hash);
    },
    finish() {
      const steps = begin();
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    },
    steps: begin,
  };
}

/** The added documents, in the order of arrival. */
interface CollectedDocuments extends Omit<SegmentColumns, 'starts' | 'values' | 'byId'> {
  /** Number of each word. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly words: DocumentRefs;
  readonly values: DocumentRefs;
  readonly facetValues: readonly IndexedFacetValue[];
  readonly exact: DocumentRefs;
}

function* segmentOf(collected: CollectedDocuments): Generator<undefined, SegmentIndex> {
  const { ids, owners, djs, years, quadrants, facetValues } = collected;
  const order = rankOrder(collected);
  yield;
  const byId = ranksById(ids, order);
  yield;
  const columns: SegmentColumns = {
    ids: permuted(ids, new Float64Array(ids.length), order),
    owners: permuted(owners, new Int32Array(ids.length), order),
    djs: permuted(djs, new Int32Array(ids.length), order),
    years: permuted(years, new Int32Array(ids.length), order),
    quadrants: permuted(quadrants, new Uint8Array(ids.length), order),
    byId,
    ...permutedRefs(collected.values, order),
  };
  const exactBits = bucketBits(collected.exact.refs.length);
  return {
    columns,
    values: facetValues,
    exactBits,
    *postings() {
      yield* wordPostings(collected.numbers, collected.words, order);
      yield* valuePostings(facetValues, collected.values, order);
    },
    buckets: () => exactBuckets(collected.exact, order, exactBits),
  };
}

const wordsIn = ({ words, further }: SearchDocument['title']): Set<string> => {
  const all = new Set(words.split(' '));
  if (further !== '') for (const word of further.split(' ')) all.add(word);
  all.delete('');
  return all;
};

/** Numbers each key on first use and collects, per document, the numbers it refers to. */
function referrer() {
  const numbers = new Map<string, number>();
  const refs = growingArray((length) => new Uint32Array(length));
  const starts = growingArray((length) => new Uint32Array(length));
  return {
    numbers,
    refs,
    numberOf(key: string): number {
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
      }
      return number;
    },
    /** Later pushes belong to the next document. */
    begin: () => starts.push(refs.length),
    finish() {
      starts.push(refs.length);
      return { refs: refs.array(), starts: starts.array() };
    },
  };
}

/** Document numbers by rank. */
function rankOrder(columns: Pick<SegmentColumns, 'ids' | 'owners' | 'djs'>): Uint32Array {
  return Uint32Array.from(columns.ids.keys()).sort(byPopularity(columns));
}

function permuted<A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A, order: Uint32Array): A {
  for (let rank = 0; rank < order.length; rank++) to[rank] = from[order[rank] ?? 0] ?? 0;
  return to;
}

function permutedRefs(
  { refs, starts }: DocumentRefs,
  order: Uint32Array,
): Pick<SegmentColumns, 'starts' | 'values'> {
  const values = new Uint32Array(refs.length);
  const to = new Uint32Array(order.length + 1);
  let at = 0;
  for (let rank = 0; rank < order.length; rank++) {
    const document = order[rank] ?? 0;
    const own = refs.subarray(starts[document], starts[document + 1]);
    values.set(own, at);
    at += own.length;
    to[rank + 1] = at;
  }
  return { starts: to, values };
}

function ranksById(ids: Float64Array, order: Uint32Array): Uint32Array {
  return Uint32Array.from(order.keys()).sort((a, b) => (ids[order[a] ?? 0] ?? 0) - (ids[order[b] ?? 0] ?? 0));
}
