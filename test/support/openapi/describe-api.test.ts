import { Type } from '@sinclair/typebox';
import fastify, { type FastifySchema } from 'fastify';
import { expect, it } from 'vitest';
import { orNull } from '../../../projections/engine/values.ts';
import { ErrorBody, type ErrorCode } from '../../../services/http/errors.ts';
import { apiDescriber } from './describe-api.ts';
import type { ApiDocument } from './document.ts';

const Found = Type.Object({ name: orNull(Type.String()) });

const schema = {
  operationId: 'getThing',
  summary: 'A thing',
  description: 'Returns a thing. Null without a name.',
  tags: ['artist'],
  params: Type.Object({ id: Type.String() }),
  querystring: Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 9, description: 'Most.' })) }),
  response: { 200: Found, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
};

interface ChangedRoute {
  readonly url?: string;
  readonly isPublic?: boolean;
  readonly errors?: readonly ErrorCode[];
  readonly schema?: FastifySchema;
}

/** Describes the route above once for each change of it. */
async function describeRoutes(...changes: ChangedRoute[]): Promise<ApiDocument> {
  const app = fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  const describer = apiDescriber();
  describer.observeRoutes(app);
  app.register((routes, _options, done) => {
    for (const { url = '/api/v2/thing/:id', isPublic = false, errors = [], schema: changed = {} } of changes)
      routes.get(url, { config: { isPublic, errors }, schema: { ...schema, ...changed } }, () => null);
    done();
  });
  await app.ready();
  return describer.describe(app, new Map([['getThing', EXAMPLE]]), '2.0.0');
}

const EXAMPLE = { request: { path: '/api/v2/thing/a%20b?limit=3' }, answer: { name: null } };

it('describes parameters, responses and security', async () => {
  const api = await describeRoutes({});
  expect(api.paths['/api/v2/thing/{id}']?.get).toEqual({
    operationId: 'getThing',
    summary: 'A thing',
    description: 'Returns a thing. Null without a name.',
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
            'X-Linernotes-Ignored',
          ].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/GetThingResponse' },
            example: { name: null },
          },
        },
      },
      304: expect.objectContaining({ description: 'The cached response is current.' }),
      400: { $ref: '#/components/responses/InvalidQueryOrMalformedRequest' },
      401: { $ref: '#/components/responses/InvalidApiKeyOrMissingApiKey' },
      429: { $ref: '#/components/responses/RateLimited' },
      503: { $ref: '#/components/responses/DatabaseUnavailableOrNotReadyOrOverloadedOrPoolExhausted' },
      504: { $ref: '#/components/responses/DeadlineExceeded' },
      '4XX': { $ref: '#/components/responses/ClientError' },
      '5XX': { $ref: '#/components/responses/ServerError' },
    },
    'x-example-request': '/api/v2/thing/a%20b?limit=3',
  });
  expect(api.components.schemas.GetThingResponse).toEqual({
    type: 'object',
    required: ['name'],
    properties: { name: { type: ['string', 'null'] } },
  });
});

it('describes the errors of a route by status: their codes, with the example of each', async () => {
  const url = '/api/v2/other';
  const errors = ['surface_disabled', 'preview_unavailable'] as const;
  const other = { operationId: 'getOther', params: undefined };
  const { paths, components } = await describeRoutes({}, { url, isPublic: true, errors, schema: other });
  const responses = paths[url]?.get?.responses;
  expect(responses).toMatchObject({
    404: { $ref: '#/components/responses/SurfaceDisabled' },
    503: { $ref: '#/components/responses/OverloadedOrPreviewUnavailable' },
    '4XX': { $ref: '#/components/responses/ClientError' },
  });
  const { SurfaceDisabled: response } = components.responses;
  expect(response?.description).toBe('Not Found: surface_disabled.');
  const narrowed = (base: string) => ({
    allOf: [
      { $ref: `#/components/schemas/${base}` },
      { properties: { error: { type: 'string', enum: ['surface_disabled'] } } },
    ],
  });
  expect(response?.content).toEqual({
    'application/json': {
      schema: narrowed('Error'),
      examples: {
        surface_disabled: {
          value: {
            error: 'surface_disabled',
            message: 'The surface is disabled.',
            hint: 'Use another surface that GET /api/v2/surface lists as enabled.',
            doc_url: 'https://api.example/docs/api#error-surface_disabled',
          },
        },
      },
    },
    'application/problem+json': { schema: narrowed('Problem') },
  });
});

it('has an equal schema once, named after the first operation that responds with it', async () => {
  const again = { operationId: 'getAgain', params: undefined };
  const { schemas } = (await describeRoutes({}, { url: '/api/v2/again', schema: again })).components;
  expect(Object.keys(schemas)).toEqual(['Error', 'Problem', 'BeaconError', 'GetThingResponse']);
});

it('requires no key on public routes', async () => {
  const api = await describeRoutes({ isPublic: true });
  const described = api.paths['/api/v2/thing/{id}']?.get;
  expect(described?.security).toEqual([]);
  expect(Object.keys(described?.responses ?? {})).not.toContain('401');
});

it('describes members of any name, and parameters that may be null', async () => {
  const querystring = Type.Object({
    limit: Type.Unsafe({ type: 'integer', nullable: true, maximum: 9, default: 3 }),
  });
  const response = { 200: Type.Record(Type.String(), orNull(Type.Number())), '4xx': ErrorBody };
  const api = await describeRoutes({ schema: { querystring, response } });
  expect(api.paths['/api/v2/thing/{id}']?.get?.parameters[1]).toEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: ['integer', 'null'], maximum: 9, default: 3 },
  });
  expect(api.components.schemas.GetThingResponse).toEqual({
    type: 'object',
    additionalProperties: { type: ['number', 'null'] },
  });
});

it('rejects operations without a name of their own, a summary, a description, errors or a described tag', async () => {
  await expect(describeRoutes({}, { url: '/b' })).rejects.toThrow(/operationId getThing/);
  await expect(describeRoutes({ schema: { operationId: '' } })).rejects.toThrow(/no operationId/);
  await expect(describeRoutes({ schema: { summary: '' } })).rejects.toThrow(/no summary/);
  await expect(describeRoutes({ schema: { description: '' } })).rejects.toThrow(/no description/);
  await expect(describeRoutes({ schema: { response: { 200: Found } } })).rejects.toThrow(/no known form/);
  await expect(describeRoutes({ schema: { tags: ['things'] } })).rejects.toThrow(/things is not described/);
});
