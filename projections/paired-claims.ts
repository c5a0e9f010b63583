import type { Address } from './projection.ts';
import type { SubjectRef } from './rows.ts';
import { documentId } from './store/document-id.ts';

/**
 * Claims of one of two documents about the same, which are often equal. Their support, which decides nothing between
 * equal claims, tells the pair: below zero, as no count is, and the same for both but for its last bit, which puts those
 * of the first before those of the second. Of two claims side by side the second is then told as such without its
 * document, by 30 bits of the pair's key: that it is another's has odds of one in a billion.
 *
 * @param pair the key of the second document
 */
export const pairedClaims = (
  claims: readonly Address[],
  pair: SubjectRef,
  place: 'first' | 'second',
): Address[] => {
  const support = BELOW_ZERO | (documentId(pair).readInt32BE() & ~1) | Number(place === 'first');
  return claims.map(({ address, rank }) => ({ address, rank, support }));
};

const BELOW_ZERO = -(2 ** 31);

/**
 * Claims without those of a second document beside the same one of the first.
 *
 * @param equal a query for equal claims
 */
export const withoutSeconds = (equal: string): string => `
  select rank, support, document
  from (select rank, support, document, lag(support) over (order by support desc) as before from (${equal}) equal) claim
  where support >= 0 or before is distinct from (support | 1)`;
