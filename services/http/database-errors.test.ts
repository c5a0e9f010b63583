import { expect, it } from 'vitest';
import { databaseError } from './database-errors.ts';

const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

it.each([
  ['57014', 'deadline_exceeded'],
  ['55P03', 'deadline_exceeded'],
  ['42P01', 'not_ready'],
  ['ECONNREFUSED', 'database_unavailable'],
  ['ECONNRESET', 'database_unavailable'],
  ['53300', 'pool_exhausted'],
  ['57P01', 'database_unavailable'],
  ['57P03', 'database_unavailable'],
  ['08006', 'database_unavailable'],
  ['40001', 'database_unavailable'],
])('knows code %s', (code, expected) => {
  expect(databaseError(failure('something', code))?.code).toBe(expected);
});

it.each([
  ['Query read timeout', 'deadline_exceeded'],
  ['timeout exceeded when trying to connect', 'pool_exhausted'],
  ['Connection terminated unexpectedly', 'database_unavailable'],
  ['Connection terminated due to connection timeout', 'database_unavailable'],
])('knows the message "%s"', (message, expected) => {
  expect(databaseError(failure(message))?.code).toBe(expected);
});

it.each([
  ['timeout exceeded when trying to connect', undefined, 'Every database connection is busy.'],
  ['sorry, too many clients already', '53300', 'Every database connection is busy.'],
  ['connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED', 'The database cannot be reached.'],
  ['Connection terminated due to connection timeout', undefined, 'The database cannot be reached.'],
])('distinguishes a busy database from an unavailable one: %s', (message, code, expected) => {
  expect(databaseError(failure(message, code))?.message).toBe(expected);
});

it('leaves other failures alone', () => {
  expect(databaseError(failure('boom'))).toBeNull();
  expect(databaseError(failure('syntax error', '42601'))).toBeNull();
});
