import type { LookupKey } from './projection.ts';
import type { SubjectRef } from './rows.ts';
import { documentId } from './store/document-id.ts';

/**
 * Lookup keys of one of two documents about the same entity. The two often have equal keys, and support decides nothing
 * between those, so support identifies the pair: it is negative, and the same for both but for its last bit, which sorts
 * the first document before the second. A second candidate is then recognised without reading its document, by 30 bits of
 * the key of the pair; a false match has odds of one in a billion.
 *
 * @param pair the key of the second document
 */
export const pairedCandidates = (
  keys: readonly LookupKey[],
  pair: SubjectRef,
  position: 'first' | 'second',
): LookupKey[] => {
  const support = NEGATIVE | (documentId(pair).readInt32BE() & ~1) | Number(position === 'first');
  return keys.map(({ value, rank }) => ({ value, rank, support }));
};

const NEGATIVE = -(2 ** 31);

/**
 * SQL for the candidates without second documents whose first document is a candidate too.
 *
 * @param equal SQL of equal candidates
 */
export const withoutSeconds = (equal: string): string => `
  select rank, support, document
  from (select rank, support, document, lag(support) over (order by support desc) as before from (${equal}) equal) candidate
  where support >= 0 or before is distinct from (support | 1)`;
