import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { bucketOfHash, ranksUnder } from '../../../projections/models/search/exact.ts';
import { createIndexer } from '../../../projections/models/search/indexer.ts';
import { EMPTY, setOf, unite } from '../../../projections/models/search/rank-set.ts';
import { facetValues, type Segment, type WordSets } from './segment.ts';

const NOWHERE: WordSets = { anywhere: EMPTY, inTitle: EMPTY };

/** Builds a segment of a few documents in memory. */
export function memorySegment(documents: readonly SearchDocument[]): Segment {
  const indexer = createIndexer();
  for (const document of documents) indexer.add(document);
  const { columns, values, exactBits, postings, buckets } = indexer.finish();
  const size = documents.length;
  const words = new Map<string, WordSets>();
  const lists = new Map<string, WordSets>();
  for (const { kind, term, anywhere, inTitle } of postings()) {
    const sets = {
      anywhere: setOf(anywhere, size),
      inTitle: inTitle === null ? EMPTY : setOf(inTitle, size),
    };
    if (kind === 'word') words.set(term, sets);
    else lists.set(`${kind} ${term}`, sets);
  }
  const pairs = new Map([...buckets()].map((bucket) => [bucket.bucket, bucket.pairs]));
  const rowById = new Map(documents.map(({ row }) => [row.master_id, row]));

  const sorted = [...words.keys()].sort();

  function beginning(prefix: string): WordSets {
    const known = lists.get(`prefix ${prefix}`);
    if (known !== undefined) return known;
    const found: WordSets[] = [];
    for (let at = insertionIndex(prefix, sorted); sorted[at]?.startsWith(prefix); at++)
      found.push(words.get(sorted[at] ?? '') ?? NOWHERE);
    const anywhere = found.map((sets) => sets.anywhere);
    const inTitle = found.map((sets) => sets.inTitle);
    return { anywhere: unite(anywhere, size), inTitle: unite(inTitle, size) };
  }

  return {
    columns,
    size,
    ...facetValues(values),
    async lookUp(query) {
      return {
        words: query.words.map((word) => words.get(word) ?? NOWHERE),
        prefix: query.prefix === null ? null : beginning(query.prefix),
        hashes: query.hashes.map((hash) => {
          const bucket = pairs.get(bucketOfHash(hash, exactBits));
          return bucket === undefined ? [] : ranksUnder(bucket, hash);
        }),
        values: query.values.map(({ facet, folded }) => lists.get(`${facet} ${folded}`)?.anywhere ?? EMPTY),
      };
    },
    async rows(ranks) {
      return ranks.map((rank) => {
        const row = rowById.get(columns.ids[rank] ?? Number.NaN);
        if (row === undefined) throw new Error(`rank ${rank} does not exist`);
        return row;
      });
    },
  };
}

/** The index of a word among sorted words, or where it would be inserted. */
function insertionIndex(word: string, sorted: readonly string[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
