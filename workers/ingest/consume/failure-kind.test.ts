import { DatabaseError } from 'pg';
import { expect, it } from 'vitest';
import { ConcurrentWrite } from '../apply/mirror.ts';
import { PositionLost } from '../apply/position.ts';
import { SchemaRegistryUnavailable } from '../schemas/schema-registry.ts';
import { LogGap } from './check-log.ts';
import { DecoderFailure } from './decode-messages.ts';
import { type FailureKind, failureKindOf } from './failure-kind.ts';

function databaseError(code: string): Error {
  const error = new DatabaseError(`of ${code}`, 0, 'error');
  error.code = code;
  return error;
}

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

const states: readonly [FailureKind, readonly string[]][] = [
  ['contention', ['40001', '40P01', '55P03', '57014']],
  [
    'database',
    [
      '08006', // connection_failure
      '25006', // read_only_sql_transaction
      '25P03', // idle_in_transaction_session_timeout
      '28P01', // invalid_password
      '3D000', // invalid_catalog_name
      '3F000', // invalid_schema_name
      '42P01', // undefined_table
      '42703', // undefined_column
      '42501', // insufficient_privilege
      '53100', // disk_full
      '53200', // out_of_memory
      '53300', // too_many_connections
      '57P01', // admin_shutdown
      '57P02', // crash_shutdown
      '57P03', // cannot_connect_now
      '58030', // io_error
      'XX000', // internal_error
    ],
  ],
  [
    'code',
    [
      '22P02', // invalid_text_representation
      '22021', // character_not_in_repertoire
      '23505', // unique_violation
      '42601', // syntax_error
      'P0001', // raise_exception
    ],
  ],
];

it.each(states.flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)))(
  'takes SQLSTATE %s for %s',
  (code, kind) => {
    expect(failureKindOf(databaseError(code))).toBe(kind);
  },
);

it.each([
  [withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')],
  [withCode('getaddrinfo EAI_AGAIN db', 'EAI_AGAIN')],
  [withCode('read ECONNRESET', 'ECONNRESET')],
  [new AggregateError([withCode('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED')])],
  [withCode('certificate has expired', 'CERT_HAS_EXPIRED')],
  [new Error('Connection terminated unexpectedly')],
  [new Error('Connection terminated due to connection timeout')],
  [new Error('timeout exceeded when trying to connect')],
  [new Error('Query read timeout')],
  [new Error('The server does not support SSL connections')],
])('recognizes an error of the connection: %s', (error) => {
  expect(failureKindOf(error)).toBe('database');
});

it.each<[FailureKind, unknown]>([
  ['position', new PositionLost('moved')],
  ['contention', new ConcurrentWrite('1 of 2 rows')],
  ['schemas', new SchemaRegistryUnavailable('connect ECONNREFUSED')],
  ['gap', new LogGap('the log starts at 7', 7)],
  ['code', new DecoderFailure(3, new TypeError('x'))],
  ['code', new TypeError("Cannot read properties of undefined (reading 'connection')")],
  ['code', new Error('the database wrote x, which was not sent')],
  ['code', 'no error at all'],
])('returns %s for %s', (kind, error) => {
  expect(failureKindOf(error)).toBe(kind);
});
