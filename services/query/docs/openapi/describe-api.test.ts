import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { orNull } from '../../../../projections/values.ts';
import { ErrorBody } from '../../errors.ts';
import { describeApi } from './describe-api.ts';
import type { Operation } from './operation-list.ts';

const Found = Type.Object({ name: orNull(Type.String()) });

const operation = (changed: Partial<Operation> = {}): Operation => ({
  method: 'get',
  path: '/api/v2/thing/{id}',
  operationId: 'getThing',
  summary: 'A thing',
  tags: ['artist'],
  security: undefined,
  isPublic: false,
  isUnlimited: false,
  params: Type.Object({ id: Type.String() }),
  querystring: Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 9, description: 'Most.' })) }),
  body: undefined,
  responses: { 200: Found, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
  ...changed,
});

const EXAMPLE = { request: { path: '/api/v2/thing/a%20b?limit=3' }, answer: { name: null } };

it('says how to ask, what comes back, and by whom it may be asked', () => {
  const api = describeApi([operation()], new Map([['getThing', EXAMPLE]]), '2.0.0');
  expect(api.paths['/api/v2/thing/{id}']?.get).toEqual({
    operationId: 'getThing',
    summary: 'A thing',
    tags: ['artist'],
    security: [{ ApiKey: [] }],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a b' },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Most.',
        schema: { type: 'integer', maximum: 9 },
        example: 3,
      },
      { $ref: '#/components/parameters/IfNoneMatch' },
      { $ref: '#/components/parameters/AtLeast' },
      { $ref: '#/components/parameters/Wait' },
    ],
    responses: {
      200: {
        description: 'OK',
        headers: Object.fromEntries(
          [
            'X-Request-Id',
            'X-RateLimit-Limit',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
            'RateLimit-Policy',
            'RateLimit',
            'ETag',
            'X-Linernotes-Freshness',
          ].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/GetThingAnswer' },
            example: { name: null },
          },
        },
      },
      304: expect.objectContaining({ description: 'What is at hand still holds.' }),
      401: { $ref: '#/components/responses/Unauthorized' },
      429: { $ref: '#/components/responses/RateLimited' },
      '4XX': { $ref: '#/components/responses/ClientError' },
      '5XX': { $ref: '#/components/responses/ServerError' },
    },
    'x-example-request': '/api/v2/thing/a%20b?limit=3',
  });
  expect(api.components.schemas.GetThingAnswer).toEqual({
    type: 'object',
    required: ['name'],
    properties: { name: { type: ['string', 'null'] } },
  });
});

it('has a schema once, under the name of the first that answers it', () => {
  const again = operation({ operationId: 'getAgain', path: '/api/v2/again', params: undefined });
  const { schemas } = describeApi([operation(), again], new Map(), '2.0.0').components;
  expect(Object.keys(schemas)).toEqual(['Error', 'Problem', 'BeaconError', 'GetThingAnswer']);
});

it('asks no key of whom nobody has to ask', () => {
  const api = describeApi([operation({ isPublic: true })], new Map(), '2.0.0');
  const described = api.paths['/api/v2/thing/{id}']?.get;
  expect(described?.security).toEqual([]);
  expect(Object.keys(described?.responses ?? {})).not.toContain('401');
});

it('refuses operations without a name of their own, a summary or a tag that is described', () => {
  const describing =
    (...operations: Operation[]) =>
    () =>
      describeApi(operations, new Map(), '2.0.0');
  expect(describing(operation(), operation({ path: '/b' }))).toThrow(/same operationId/);
  expect(describing(operation({ operationId: '' }))).toThrow(/no operationId/);
  expect(describing(operation({ summary: '' }))).toThrow(/no summary/);
  expect(describing(operation({ tags: ['things'] }))).toThrow(/things is not described/);
});
