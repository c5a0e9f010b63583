import { expect, it } from 'vitest';
import { errorOf, LinernotesError } from './linernotes-error.ts';

it('has every member of the response', () => {
  const body = {
    error: 'invalid_query',
    message: 'The request does not fit.',
    hint: 'Correct every entry of details.',
    doc_url: 'https://api.example/docs/api#error-invalid_query',
    param: 'limit',
    next: 'https://api.example/api/v2/search?q=x',
    details: [{ path: 'limit', message: 'must be <= 100' }],
  };
  const response = new Response(null, {
    status: 400,
    headers: { 'x-request-id': 'r-1', 'retry-after': '3' },
  });
  const error = errorOf(response, JSON.stringify(body));
  expect(error).toBeInstanceOf(LinernotesError);
  expect({ ...error, message: error.message }).toEqual({
    name: 'LinernotesError',
    message: 'The request does not fit.',
    code: 'invalid_query',
    status: 400,
    hint: body.hint,
    docUrl: body.doc_url,
    param: 'limit',
    next: body.next,
    details: body.details,
    requestId: 'r-1',
    retryAfter: 3,
    body,
  });
});

it('keeps the details of beacons in the body', () => {
  const body = { error: 'invalid_payload', details: { formErrors: [], fieldErrors: { source: ['no'] } } };
  expect(errorOf(new Response(null, { status: 400 }), JSON.stringify(body))).toMatchObject({
    code: 'invalid_payload',
    message: 'The service responded 400 invalid_payload.',
    details: [],
    body,
  });
});

it.each(['<html>Bad Gateway</html>', '', '[]', '{"error":5}', 'null'])(
  'rejects %j as not from the service',
  (text) => {
    expect(errorOf(new Response(null, { status: 502 }), text)).toMatchObject({
      code: 'unreadable_answer',
      status: 502,
      message: `The response with status 502 is not from the service: ${text}`,
    });
  },
);
