import { expect, it } from 'vitest';
import { ApiError, type ErrorCode, errorBody, errorCatalogue, errorHeaders } from './errors.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];

it.each(codes)('%s says its rule in one sentence, and what to do', (code) => {
  const { status, message, hint } = errorCatalogue[code];
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  for (const text of [message, hint]) expect(text).toMatch(/^\S.*\.$/);
  expect(message.match(/\. /g)).toBeNull();
});

it('answers in one envelope, with what is known of the case', () => {
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

it('names the request only where the service failed', () => {
  const named = codes.filter((code) => 'request_id' in errorBody(new ApiError(code), '', 'id'));
  expect(named).toEqual(['internal_error']);
});
