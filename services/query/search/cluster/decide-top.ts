import { splitSpelling } from '../../../../projections/models/search/opensearch/indexed-document.ts';
import type { ValueCount } from '../count-facets.ts';

/** A terms aggregation as the cluster returns it: the most frequent terms, merged from all shards. */
export interface TermCounts {
  readonly buckets: readonly {
    readonly key: string;
    readonly doc_count: number;
    /** How much the count may be too low, because a shard did not return the term. */
    readonly doc_count_error_upper_bound?: number;
  }[];
  /** The highest count that a term may have that no shard returned. */
  readonly doc_count_error_upper_bound: number;
  readonly sum_other_doc_count: number;
}

export interface TopValues {
  readonly values: readonly ValueCount[];
  /** Whether there are further values. */
  readonly isCut: boolean;
}

interface Counted {
  /** Release groups by folded value. */
  readonly folded: TermCounts;
  /** Release groups by spelling. */
  readonly spelt: TermCounts;
}

/**
 * The most frequent values, each in its commonest spelling (ties: the least), equally frequent ones by code units.
 *
 * @returns null if terms that were not returned could change the result
 */
export function decideTop(counted: Counted, shown: number): TopValues | null {
  const { folded } = counted;
  const least = folded.buckets[shown - 1]?.doc_count ?? 0;
  if (shown <= folded.buckets.length ? mostUnseen(folded) >= least : !isComplete(folded)) return null;
  if (folded.buckets.some((bucket) => isUncertain(bucket) && mostOf(bucket) >= least)) return null;
  const spellings = spellingsOf(counted.spelt);
  const values: ValueCount[] = [];
  for (const { key, doc_count: count } of folded.buckets) {
    if (count < least) break;
    const value = commonest(spellings.get(key) ?? [], mostUnseen(counted.spelt));
    if (value === null) return null;
    values.push({ value, count });
  }
  return topOf(values, folded, shown);
}

/** The same without certainty, for facets with more values than a response of the cluster may hold. */
export function estimateTop({ folded, spelt }: Counted, shown: number): TopValues {
  const spellings = spellingsOf(spelt);
  const values = folded.buckets.map(({ key, doc_count: count }) => ({
    value: spellings.get(key)?.toSorted(byCount)[0]?.value ?? key,
    count,
  }));
  return topOf(values, folded, shown);
}

const topOf = (values: readonly ValueCount[], folded: TermCounts, shown: number): TopValues => ({
  values: values.toSorted(byCount).slice(0, shown),
  isCut: folded.buckets.length > shown || !isComplete(folded),
});

type Bucket = TermCounts['buckets'][number];

const byCount = (a: ValueCount, b: ValueCount): number =>
  b.count - a.count || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);

const isComplete = (terms: TermCounts): boolean =>
  terms.sum_other_doc_count === 0 && terms.doc_count_error_upper_bound === 0;

const isUncertain = ({ doc_count_error_upper_bound: error = 0 }: Bucket): boolean => error > 0;

const mostOf = ({ doc_count, doc_count_error_upper_bound: error = 0 }: Bucket): number => doc_count + error;

/** The highest count that a term outside the list may have. */
const mostUnseen = (terms: TermCounts): number =>
  isComplete(terms) ? 0 : (terms.buckets.at(-1)?.doc_count ?? 0) + terms.doc_count_error_upper_bound;

interface Spelling extends ValueCount {
  readonly isUncertain: boolean;
}

function spellingsOf({ buckets }: TermCounts): Map<string, Spelling[]> {
  const spellings = new Map<string, Spelling[]>();
  for (const bucket of buckets) {
    const { folded, value } = splitSpelling(bucket.key);
    const known = spellings.get(folded) ?? [];
    if (known.length === 0) spellings.set(folded, known);
    known.push({ value, count: bucket.doc_count, isUncertain: isUncertain(bucket) });
  }
  return spellings;
}

/** Null if it is not certain. */
function commonest(spellings: readonly Spelling[], unseen: number): string | null {
  const [best] = spellings.toSorted(byCount);
  if (best === undefined || best.count <= unseen) return null;
  return spellings.some((spelling) => spelling.isUncertain) ? null : best.value;
}
