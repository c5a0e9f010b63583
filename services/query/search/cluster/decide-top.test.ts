import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideTop, type TermCounts } from './decide-top.ts';

/** Values of release groups: of some with several spellings, which differ in case. */
const value = fc.constantFrom('a', 'A', 'b', 'B', 'c', 'd', 'D', 'e');
const document = fc.uniqueArray(value, { maxLength: 3 });
const shards = fc.array(fc.array(document, { maxLength: 8 }), { minLength: 1, maxLength: 3 });

const fold = (spelling: string): string => spelling.toLowerCase();
const folded = (documents: readonly string[][]) => documents.map((all) => [...new Set(all.map(fold))]);
const spelt = (documents: readonly string[][]) =>
  documents.map((all) => all.map((each) => `${fold(each)}\n${each}`));

function counts(documents: readonly string[][]): [string, number][] {
  const terms = documents.flat();
  return [...new Set(terms)]
    .map((term): [string, number] => [term, terms.filter((other) => other === term).length])
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** Merges the first `size` terms of every shard, as the cluster does. */
function aggregate(all: readonly (readonly string[][])[], size: number): TermCounts {
  const parts = all.map((documents) => {
    const terms = counts(documents);
    const sent = new Map(terms.slice(0, size));
    return { terms, sent, error: terms.length > size ? (terms[size - 1]?.[1] ?? 0) : 0 };
  });
  const buckets = [...new Set(parts.flatMap(({ sent }) => [...sent.keys()]))]
    .map((key) => ({
      key,
      doc_count: parts.reduce((sum, { sent }) => sum + (sent.get(key) ?? 0), 0),
      doc_count_error_upper_bound: parts.reduce(
        (sum, { sent, error }) => sum + (sent.has(key) ? 0 : error),
        0,
      ),
    }))
    .sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1));
  const shown = buckets.slice(0, size);
  const total = parts.reduce((sum, { terms }) => sum + terms.reduce((own, [, count]) => own + count, 0), 0);
  return {
    buckets: shown,
    doc_count_error_upper_bound: parts.reduce((sum, { error }) => sum + error, 0),
    sum_other_doc_count: total - shown.reduce((sum, { doc_count }) => sum + doc_count, 0),
  };
}

/** Counts over all documents. */
function exactTop(documents: readonly string[][], shown: number) {
  const spellings = counts(documents);
  return counts(folded(documents))
    .map(([key, count]) => ({ value: spellings.find(([each]) => fold(each) === key)?.[0] ?? '', count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, shown);
}

const top = (all: readonly (readonly string[][])[], size: number, shown: number) =>
  decideTop({ folded: aggregate(all.map(folded), size), spelt: aggregate(all.map(spelt), size) }, shown);

it('a decided list is that of all release groups', () => {
  fc.assert(
    fc.property(
      shards,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 6 }),
      (all, size, shown) => {
        const found = top(all, size, shown);
        if (found === null) return;
        const documents = all.flat();
        expect(found.values).toEqual(exactTop(documents, shown));
        expect(found.isCut).toBe(counts(folded(documents)).length > shown);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('a list is decided if all values were returned', () => {
  fc.assert(
    fc.property(shards, (all) => {
      expect(top(all, 100, 3)).not.toBeNull();
    }),
  );
});

it('a list is not decided if values outside of it may be as frequent', () => {
  expect(top([[['a'], ['b'], ['c']]], 2, 2)).toBeNull();
});
