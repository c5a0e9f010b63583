import { DatabaseError } from 'pg';
import { expect, it } from 'vitest';
import { plainCause } from './error-handler.ts';

function databaseError(code: string): DatabaseError {
  const error = new DatabaseError('the message with "alice"', 30, 'error');
  return Object.assign(error, {
    code,
    detail: 'Failing row contains (alice).',
    where: 'alice',
    hint: 'alice',
  });
}

it('keeps the code of a database error, and none of its values', () => {
  const plain = plainCause(databaseError('23514'));
  expect(plain).toMatchObject({ type: 'error', code: '23514', stack: expect.stringContaining('    at ') });
  expect(JSON.stringify(plain)).not.toContain('alice');
  expect(plainCause(databaseError('22P02'))).not.toHaveProperty('message');
});

it('keeps the message if it contains no values', () => {
  expect(plainCause(databaseError('42P01'))).toMatchObject({ message: 'the message with "alice"' });
  expect(plainCause(new TypeError('no function'))).toMatchObject({
    type: 'TypeError',
    message: 'no function',
  });
});
