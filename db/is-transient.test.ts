import { expect, it } from 'vitest';
import { isTransient } from './is-transient.ts';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

it.each([
  withCode('ECONNREFUSED'),
  withCode('57P01'),
  withCode('57P03'),
  withCode('08006'),
  withCode('40P01'),
  withCode('53300'),
  withCode('55P03'),
  withCode('25006'),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  new AggregateError([withCode('ENETUNREACH'), withCode('ECONNREFUSED')]),
])('%s is transient', (error) => {
  expect(isTransient(error)).toBe(true);
});

it.each([
  withCode('23505'),
  withCode('42P01'),
  withCode('42601'),
  withCode('ABORT_ERR'),
  withCode('5X000'),
  new TypeError('Connection is not a function'),
  new AggregateError([withCode('ENOENT')]),
  'ECONNREFUSED',
  null,
])('%s is not transient', (error) => {
  expect(isTransient(error)).toBe(false);
});
