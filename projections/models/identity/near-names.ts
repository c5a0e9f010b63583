import type { IndexDefinition } from '../../engine/projection.ts';
import { NAME_RANK } from './lookup-keys.ts';

/** An artist with fewer events is not a candidate. */
const MIN_EVENTS = 2;

/** The lookup keys that the search for near names covers. */
export const NEAR_NAMES = `rank = ${NAME_RANK.performingName} and support >= ${MIN_EVENTS}`;

/**
 * The name within a lookup key. Index and query must use the same collation; the default one is what pg_trgm splits words
 * by.
 */
export const KEY_NAME = `(substr(address, ${'name:'.length + 1}) collate "default")`;

/** Least similarity of short names: one wrong letter in six. */
const MIN_SIMILARITY = 0.4;
/** Least similarity of long names. */
const MAX_SIMILARITY = 0.5;
/** Two swapped letters change four trigrams, more than any other single typo. */
const TRIGRAMS_OF_TWO_TYPOS = 8;

/**
 * A query for the least similarity (pg_trgm) of a near name: what two typos leave, within limits. So sharing one word of a
 * long name is not enough. `offset 0` keeps the planner from repeating the count.
 *
 * @param name an expression of SQL
 */
export const minSimilarity = (name: string): string => `
  select greatest(${MIN_SIMILARITY}, least(${MAX_SIMILARITY},
    (trigrams - ${TRIGRAMS_OF_TWO_TYPOS})::float8 / (trigrams + ${TRIGRAMS_OF_TWO_TYPOS})))::real as similarity
  from (select cardinality(show_trgm(${name})) as trigrams offset 0) counted`;

/**
 * The index that finds near names. `fastupdate` is off because every search would read the pending list.
 */
export const nearNameIndex: IndexDefinition = `using gin (${KEY_NAME} public.gin_trgm_ops) with (fastupdate = off) where ${NEAR_NAMES}`;
