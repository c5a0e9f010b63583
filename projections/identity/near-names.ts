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

/**
 * The index that finds near names. It takes up every name at once: a list of names still to be taken up would be read by
 * each search.
 */
export const nearNameIndex: IndexDefinition = `using gin (${ADDRESS_NAME} public.gin_trgm_ops) with (fastupdate = off) where ${NEAR_NAMES}`;
