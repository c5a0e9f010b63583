import type { IndexDefinition } from '../store/index-addresses.ts';
import { RANK, TITLE_TEXT_AT } from './addresses.ts';
import type { Corpus } from './document.ts';

/**
 * The text of a title within its address. Index and query must say the same collation for the one to serve the other;
 * that of the database is the one pg_trgm splits words by.
 */
export const TITLE_TEXT = `(substr(address, ${TITLE_TEXT_AT + 1}) collate "default")`;

/** Within a band nothing is twice as well supported as another, so that any few are nearly as good as its best; few are above. */
const LEAST_SUPPORT = [512, 256, 128, 64, 32, 16, 8, 4, 2];

const ofTitles = `rank = ${RANK.title}`;

/** The titles that are walked through from the best on where no band can be searched: few of all. */
export const BEST_TITLES = `${ofTitles} and support >= 16`;

/**
 * Bands of titles by support, the best first: a part of many titles is found in the first of them, and the others are
 * not even looked at. A storefront does not count releases.
 */
export const TITLE_BANDS: Readonly<Record<Corpus, readonly string[]>> = {
  mb: [
    ...LEAST_SUPPORT.map((least, index) => {
      const above = LEAST_SUPPORT[index - 1];
      const most = above === undefined ? '' : ` and support < ${above}`;
      return `${ofTitles} and support >= ${least}${most}`;
    }),
    `${ofTitles} and support < ${LEAST_SUPPORT.at(-1)}`,
  ],
  storefront: [ofTitles],
};

/**
 * The indexes that find titles by a part of them, one a band, and that of the best supported. They take up every title at
 * once: a list of titles still to be taken up would be read by each search.
 */
export const titleIndexes = (corpus: Corpus): IndexDefinition[] => [
  ...TITLE_BANDS[corpus].map(
    (band) => `using gin (${TITLE_TEXT} public.gin_trgm_ops) with (fastupdate = off) where ${band}`,
  ),
  ...(corpus === 'mb' ? [`(support desc, address, document) where ${BEST_TITLES}`] : []),
];
