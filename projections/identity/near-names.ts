import type { IndexDefinition } from '../store/index-addresses.ts';
import { NAME_RANK } from './claims.ts';

/** Booking-graph support below which an artist is not shown as a candidate. */
const MIN_EVENTS = 2;

/** The addresses that are searched for near names. */
export const NEAR_NAMES = `rank = ${NAME_RANK.performingName} and support >= ${MIN_EVENTS}`;

/**
 * The name within an address. Index and query must say the same collation for the one to serve the other; that of the
 * database is the one pg_trgm splits words by.
 */
export const ADDRESS_NAME = `(substr(address, ${'name:'.length + 1}) collate "default")`;

/** A name that shares less of its trigrams with another is not near it: of six letters one may be wrong. */
const LEAST_LIKENESS = 0.4;
/** However long a name is, another that shares half is near it. */
const MOST_LIKENESS = 0.5;
/** Two letters in the wrong order spoil four trigrams, more than other slips of the pen. */
const SPOILT_BY_TWO_SLIPS = 8;

/**
 * A query for how alike names have to be to the one asked for, by pg_trgm's measure: as much as two slips leave of it,
 * within limits. To be near a long name it is not enough to have one of its words, and the index need not be read for all
 * who do. The planner may not merge the count into what uses it, which would count anew for each use.
 *
 * @param name an expression of SQL
 */
export const leastLikeness = (name: string): string => `
  select greatest(${LEAST_LIKENESS}, least(${MOST_LIKENESS},
    (trigrams - ${SPOILT_BY_TWO_SLIPS})::float8 / (trigrams + ${SPOILT_BY_TWO_SLIPS})))::real as likeness
  from (select cardinality(show_trgm(${name})) as trigrams offset 0) asked_for`;

/**
 * The index that finds near names. It takes up every name at once: a list of names still to be taken up would be read by
 * each search.
 */
export const nearNameIndex: IndexDefinition = `using gin (${ADDRESS_NAME} public.gin_trgm_ops) with (fastupdate = off) where ${NEAR_NAMES}`;
