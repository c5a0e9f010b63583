import { DatabaseError } from 'pg';
import { isTransient } from '../../../db/is-transient.ts';
import { ConcurrentWrite } from '../apply/mirror.ts';
import { PositionLost } from '../apply/position.ts';
import { LogGap } from './check-log.ts';

/**
 * What a failure says, which decides who waits and for what. Whatever it says, the records wait: only what the decoder
 * refuses is a dead letter.
 *
 * - `position`: another consumer moved the position; it is read again
 * - `contention`: another transaction was in the way; this partition tries again
 * - `database`: the database is away, full, read-only or not of this code; all partitions wait for it
 * - `gap`: Kafka's log lacks what comes next; this partition waits for an operator
 * - `code`: these records make our own code fail; this partition waits for other code
 */
export type Fault = 'position' | 'contention' | 'database' | 'gap' | 'code';

/** SQLSTATEs of a transaction that met another, or took too long behind one. */
const CONTENTION: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled, which a statement time-out is too
]);

/**
 * Classes of SQLSTATE that tell of the server or its schema, and never of a row: connection, unusable transaction state
 * (a read-only server among them), statement names, authorization, missing database or schema, resources, object
 * state, operator intervention, the system itself, configuration, internal error.
 */
const DATABASE_CLASSES: ReadonlySet<string> = new Set('08 25 26 28 3D 3F 53 55 57 58 F0 XX'.split(' '));

/** The same of single codes, whose classes tell of statements too. */
const DATABASE: ReadonlySet<string> = new Set([
  '0A000', // a plan kept from before a migration
  '42P01', // undefined_table
  '42703', // undefined_column
  '42883', // undefined_function
  '42704', // undefined_object
  '42501', // insufficient_privilege
]);

/** What node-pg and Node say of connections that cannot be made, beside what passes by itself. */
const CONNECTION = /connection|read timeout|SSL|TLS|certificate|pool after calling end/i;

export function faultOf(error: unknown): Fault {
  if (error instanceof PositionLost) return 'position';
  if (error instanceof ConcurrentWrite) return 'contention';
  if (error instanceof LogGap) return 'gap';
  if (error instanceof DatabaseError) return faultOfState(error.code ?? '');
  return error instanceof Error && isOfConnection(error) ? 'database' : 'code';
}

function faultOfState(sqlState: string): Fault {
  if (CONTENTION.has(sqlState)) return 'contention';
  return DATABASE.has(sqlState) || DATABASE_CLASSES.has(sqlState.slice(0, 2)) ? 'database' : 'code';
}

function isOfConnection(error: Error): boolean {
  // A subclass such as TypeError is of our own code, whatever it says.
  return isTransient(error) || (error.constructor === Error && CONNECTION.test(error.message));
}
