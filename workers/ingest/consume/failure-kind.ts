import { DatabaseError } from 'pg';
import { isTransient } from '../../../db/is-transient.ts';
import { ConcurrentWrite } from '../apply/mirror.ts';
import { PositionLost } from '../apply/position.ts';
import { SchemaRegistryUnavailable } from '../schemas/schema-registry.ts';
import { LogGap } from './check-log.ts';

/**
 * The kind of a failure decides which partitions wait, and for what. The records always wait: only records that the
 * decoder rejects become dead letters.
 *
 * - `position`: another consumer moved the position; it is read again
 * - `contention`: another transaction held a lock; this partition retries
 * - `database`: the database is unavailable, full, read-only or has another schema; all partitions wait for it
 * - `schemas`: the schema registry is unavailable; this partition retries
 * - `gap`: the next records are missing in Kafka's log; this partition waits for an operator
 * - `code`: this release fails on the records; this partition waits for another release
 */
export type FailureKind = 'position' | 'contention' | 'database' | 'schemas' | 'gap' | 'code';

/** SQLSTATEs of a transaction that clashed with another or waited too long for one. */
const CONTENTION: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled, also for a statement timeout
]);

/**
 * Classes of SQLSTATE for the server or its schema, never for a row: connection, unusable transaction state
 * (a read-only server among them), statement names, authorization, missing database or schema, resources, object
 * state, operator intervention, the system itself, configuration, internal error.
 */
const DATABASE_CLASSES: ReadonlySet<string> = new Set('08 25 26 28 3D 3F 53 55 57 58 F0 XX'.split(' '));

/** Single codes of the same kind; their classes also contain errors of statements. */
const DATABASE: ReadonlySet<string> = new Set([
  '0A000', // a plan kept from before a migration
  '42P01', // undefined_table
  '42703', // undefined_column
  '42883', // undefined_function
  '42704', // undefined_object
  '42501', // insufficient_privilege
]);

/** Messages of node-pg and Node about failed connections, in addition to the transient ones. */
const CONNECTION = /connection|read timeout|SSL|TLS|certificate|pool after calling end/i;

export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof PositionLost) return 'position';
  if (error instanceof ConcurrentWrite) return 'contention';
  if (error instanceof SchemaRegistryUnavailable) return 'schemas';
  if (error instanceof LogGap) return 'gap';
  if (error instanceof DatabaseError) return faultOfState(error.code ?? '');
  return error instanceof Error && isOfConnection(error) ? 'database' : 'code';
}

function faultOfState(sqlState: string): FailureKind {
  if (CONTENTION.has(sqlState)) return 'contention';
  return DATABASE.has(sqlState) || DATABASE_CLASSES.has(sqlState.slice(0, 2)) ? 'database' : 'code';
}

function isOfConnection(error: Error): boolean {
  // A subclass such as TypeError comes from our own code, whatever its message.
  return isTransient(error) || (error.constructor === Error && CONNECTION.test(error.message));
}
