import { expect, it } from 'vitest';
import { databaseError } from './database-errors.ts';

const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

it.each([
  ['57014', 'deadline_exceeded'],
  ['42P01', 'not_ready'],
  ['ECONNREFUSED', 'pool_exhausted'],
  ['ECONNRESET', 'pool_exhausted'],
  ['53300', 'pool_exhausted'],
  ['57P01', 'pool_exhausted'],
  ['57P03', 'pool_exhausted'],
  ['08006', 'pool_exhausted'],
  ['40001', 'pool_exhausted'],
])('knows code %s', (code, expected) => {
  expect(databaseError(failure('something', code))?.code).toBe(expected);
});

it.each([
  ['Query read timeout', 'deadline_exceeded'],
  ['timeout exceeded when trying to connect', 'pool_exhausted'],
  ['Connection terminated unexpectedly', 'pool_exhausted'],
  ['Connection terminated due to connection timeout', 'pool_exhausted'],
])('knows the message "%s"', (message, expected) => {
  expect(databaseError(failure(message))?.code).toBe(expected);
});

it.each([
  ['timeout exceeded when trying to connect', undefined, 'Every database connection is busy.'],
  ['sorry, too many clients already', '53300', 'Every database connection is busy.'],
  ['connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED', 'The database cannot be reached.'],
  ['Connection terminated due to connection timeout', undefined, 'The database cannot be reached.'],
])('tells a database that is busy from one that is away: %s', (message, code, told) => {
  expect(databaseError(failure(message, code))?.message).toBe(told);
});

it('leaves other failures alone', () => {
  expect(databaseError(failure('boom'))).toBeNull();
  expect(databaseError(failure('syntax error', '42601'))).toBeNull();
});
