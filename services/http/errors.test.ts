import { Value } from '@sinclair/typebox/value';
import { expect, it } from 'vitest';
import {
  ApiError,
  type ErrorCode,
  errorBody,
  errorCatalogue,
  errorHeaders,
  ProblemBody,
  problemBody,
} from './errors.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];

it.each(codes)('%s has a message of one sentence and a hint', (code) => {
  const { status, message, hint } = errorCatalogue[code];
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  for (const text of [message, hint]) expect(text).toMatch(/^\S.*\.$/);
  expect(message.match(/\. /g)).toBeNull();
});

it('puts all members of an error into the envelope', () => {
  const error = new ApiError('invalid_query', {
    message: 'That is wrong.',
    hint: 'Do this.',
    param: 'q',
    next: '/api/v2/resolve?q=a',
    details: [{ path: 'q', message: 'is wrong' }],
    retryAfterSeconds: 3,
  });
  expect(errorBody(error, 'https://api.example', 'id')).toEqual({
    error: 'invalid_query',
    message: 'That is wrong.',
    hint: 'Do this.',
    doc_url: 'https://api.example/docs/api#error-invalid_query',
    param: 'q',
    next: 'https://api.example/api/v2/resolve?q=a',
    details: [{ path: 'q', message: 'is wrong' }],
    retry_after_seconds: 3,
  });
  expect(errorHeaders(error)).toEqual({ 'retry-after': '3', 'cache-control': 'no-store' });
});

it.each(codes.filter((code) => errorCatalogue[code].status === 503))('asks to wait after %s', (code) => {
  const error = new ApiError(code);
  const seconds = errorBody(error, '', 'id').retry_after_seconds;
  expect(seconds).toBeGreaterThan(0);
  expect(errorHeaders(error)['retry-after']).toBe(String(seconds));
});

it('echoes the master id of a release group that was not found', () => {
  const error = new ApiError('master_not_found', { masterId: 12 });
  expect(error.status).toBe(404);
  expect(errorBody(error, '', 'id')).toMatchObject({
    error: 'master_not_found',
    doc_url: '/docs/api#error-master_not_found',
    master_id: 12,
  });
});

it('includes the request id only in internal errors', () => {
  const named = codes.filter((code) => 'request_id' in errorBody(new ApiError(code), '', 'id'));
  expect(named).toEqual(['internal_error']);
});

it('converts the envelope to problem details', () => {
  const error = new ApiError('missing_api_key', { param: 'X-API-Key', retryAfterSeconds: 3 });
  const body = errorBody(error, 'https://api.example', 'id');
  const problem = problemBody(body, error, 'id');
  expect(problem).toEqual({
    type: 'https://api.example/docs/api#error-missing_api_key',
    title: 'Missing API key',
    status: 401,
    detail: 'This route requires an API key.',
    instance: 'id',
    error: 'missing_api_key',
    hint: body.hint,
    param: 'X-API-Key',
    retry_after_seconds: 3,
  });
  expect([...Value.Errors({ ...ProblemBody, additionalProperties: false }, problem)]).toEqual([]);
});

it('keeps the title of a code when the message changes', () => {
  const titleOf = (code: ErrorCode): string => {
    const error = new ApiError(code, { message: 'Only here.' });
    return problemBody(errorBody(error, '', 'id'), error, 'id').title;
  };
  expect([titleOf('invalid_json'), titleOf('not_found')]).toEqual(['Invalid JSON', 'Not found']);
  for (const code of codes) expect(titleOf(code)).toMatch(/^[A-Z][A-Za-z ]+$/);
});
