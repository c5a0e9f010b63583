import type { IndexDefinition } from '../../engine/projection.ts';
import type { TrackCorpus } from './document.ts';
import { TITLE_TEXT_OFFSET, TRACK_RANK } from './lookup-keys.ts';

/**
 * The text of a title within its lookup key. Index and query must use the same collation; the default one is what pg_trgm
 * splits words by.
 */
export const TITLE_TEXT = `(substr(address, ${TITLE_TEXT_OFFSET + 1}) collate "default")`;

/** Lower bounds of the bands. Supports within a band differ by less than a factor of two, so any of its titles will do. */
const BAND_SUPPORT = [512, 256, 128, 64, 32, 16, 8, 4, 2];

const ofTitles = `rank = ${TRACK_RANK.title}`;

/** The few best supported titles, which a search walks in order if the trigram index cannot help. */
export const BEST_TITLES = `${ofTitles} and support >= 16`;

/**
 * Bands of titles by support, the best first: a frequent part is found in the first bands, and the rest is not read.
 * Storefronts have one band because they do not count releases.
 */
export const TITLE_BANDS: Readonly<Record<TrackCorpus, readonly string[]>> = {
  mb: [
    ...BAND_SUPPORT.map((min, index) => {
      const above = BAND_SUPPORT[index - 1];
      const below = above === undefined ? '' : ` and support < ${above}`;
      return `${ofTitles} and support >= ${min}${below}`;
    }),
    `${ofTitles} and support < ${BAND_SUPPORT.at(-1)}`,
  ],
  storefront: [ofTitles],
};

/**
 * One trigram index per band, and an index of the best supported titles. `fastupdate` is off because every search would
 * read the pending list.
 */
export const titleIndexes = (corpus: TrackCorpus): IndexDefinition[] => [
  ...TITLE_BANDS[corpus].map(
    (band) => `using gin (${TITLE_TEXT} public.gin_trgm_ops) with (fastupdate = off) where ${band}`,
  ),
  ...(corpus === 'mb' ? [`(support desc, address, document) where ${BEST_TITLES}`] : []),
];
