import { describe, expect, it } from 'vitest';
import { compareApis } from './compare-apis.ts';
import type { ApiDocument, JsonSchema, OperationObject, ParameterObject } from './document.ts';
import { nextVersion, withEntry } from './next-version.ts';

const Q: ParameterObject = {
  name: 'q',
  in: 'query',
  required: true,
  schema: { type: 'string', maxLength: 9 },
};
const LIMIT: ParameterObject = { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } };
const FOUND: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: ['string', 'null'] },
    tier: { type: 'string', enum: ['a', 'b'] },
    items: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
  },
  required: ['id'],
};

interface ChangedParts {
  readonly found?: JsonSchema;
  readonly sent?: JsonSchema;
  readonly operation?: Partial<OperationObject>;
  readonly paths?: ApiDocument['paths'];
  readonly codes?: ApiDocument['x-error-codes'];
}

function api({
  found = FOUND,
  sent,
  operation = {},
  paths = {},
  codes = {},
}: ChangedParts = {}): ApiDocument {
  const find: OperationObject = {
    operationId: 'find',
    summary: 'Finds',
    description: 'Finds what there is.',
    tags: [],
    security: [{ ApiKey: [] }],
    parameters: [Q, LIMIT],
    ...(sent === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: sent } } } }),
    responses: {
      200: {
        description: 'OK',
        headers: { ETag: { $ref: '#/components/headers/ETag' } },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Found' } } },
      },
      '4XX': { $ref: '#/components/responses/ClientError' },
    },
    ...operation,
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '2.0.0', description: '' },
    servers: [],
    security: [],
    tags: [],
    paths: { '/find': { get: find }, ...paths },
    components: {
      schemas: { Found: found },
      parameters: {},
      headers: {},
      responses: { ClientError: { description: 'At fault' } },
      securitySchemes: {},
    },
    'x-error-codes': codes,
  };
}

const texts = (before: ChangedParts, after: ChangedParts): string[] =>
  compareApis(api(before), api(after)).map(({ kind, text }) => `${kind}: ${text}`);

const found = (properties: Readonly<Record<string, JsonSchema>>, required = ['id']): ChangedParts => ({
  found: { ...FOUND, properties: { ...FOUND.properties, ...properties }, required },
});
const without = (name: string): ChangedParts => {
  const { [name]: _gone, ...kept } = FOUND.properties ?? {};
  return { found: { ...FOUND, properties: kept } };
};
const parameters = (...given: ParameterObject[]): ChangedParts => ({ operation: { parameters: given } });

it('finds nothing in the same document, nor in other words', () => {
  expect(texts({}, {})).toEqual([]);
  expect(texts({}, { operation: { summary: 'Other words' } })).toEqual([]);
  expect(texts({}, found({ id: { type: ['null', 'string'], description: 'Words.' } }))).toEqual([]);
});

describe('operations', () => {
  const other = { '/other': { get: api().paths['/find']?.get as OperationObject } };

  it('may come, but not go', () => {
    expect(texts({}, { paths: other })).toEqual(['additive: GET /other was added']);
    expect(texts({ paths: other }, {})).toEqual(['breaking: GET /other was removed']);
  });

  it('keep their name, and may become public', () => {
    expect(texts({}, { operation: { operationId: 'seek' } })).toEqual([
      'breaking: GET /find has the operationId seek instead of find',
    ]);
    const open: ChangedParts = { operation: { security: [] } };
    expect(texts({}, open)).toEqual(['additive: GET /find requires other credentials']);
    expect(texts(open, {})).toEqual(['breaking: GET /find requires other credentials']);
  });
});

describe('parameters', () => {
  it.each<[string, ChangedParts, ChangedParts, string[]]>([
    ['gone', {}, parameters(Q), ['breaking: GET /find: limit was removed']],
    ['optional and new', parameters(Q), {}, ['additive: GET /find: limit was added']],
    ['required and new', parameters(LIMIT), {}, ['breaking: GET /find: q was added']],
    [
      'required now',
      {},
      parameters(Q, { ...LIMIT, required: true }),
      ['breaking: GET /find: limit is required'],
    ],
    [
      'optional now',
      {},
      parameters({ ...Q, required: false }, LIMIT),
      ['additive: GET /find: q is optional'],
    ],
    [
      'shorter',
      {},
      parameters({ ...Q, schema: { type: 'string', maxLength: 8 } }, LIMIT),
      ['breaking: GET /find: q has maxLength 8 instead of 9'],
    ],
    [
      'longer',
      {},
      parameters({ ...Q, schema: { type: 'string' } }, LIMIT),
      ['additive: GET /find: q has maxLength none instead of 9'],
    ],
    [
      'wider',
      {},
      parameters(Q, { ...LIMIT, schema: { type: 'number' } }),
      ['additive: GET /find: limit was integer and is number'],
    ],
    [
      'narrower',
      parameters(Q, { ...LIMIT, schema: { type: ['integer', 'null'] } }),
      {},
      ['breaking: GET /find: limit was integer or null and is integer'],
    ],
    [
      'of a pattern',
      {},
      parameters({ ...Q, schema: { ...Q.schema, pattern: '^a' } }, LIMIT),
      ['breaking: GET /find: q has pattern ^a instead of none'],
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(texts(before, after)).toEqual(expected);
  });
});

describe('responses', () => {
  it.each<[string, ChangedParts, string[]]>([
    ['a field gone', without('tier'), ['breaking: GET /find: 200.tier was removed']],
    ['a field new', found({ more: { type: 'string' } }), ['additive: GET /find: 200.more was added']],
    ['a field not always there', found({}, []), ['breaking: GET /find: 200.id is optional']],
    ['a field always there', found({}, ['id', 'tier']), ['additive: GET /find: 200.tier is required']],
    [
      'a type narrowed',
      found({ id: { type: 'string' } }),
      ['breaking: GET /find: 200.id was null or string and is string'],
    ],
    [
      'a type widened',
      found({ id: { type: ['string', 'null', 'number'] } }),
      ['breaking: GET /find: 200.id was null or string and is null or number or string'],
    ],
    [
      'other values',
      found({ tier: { type: 'string', enum: ['b', 'c'] } }),
      ['breaking: GET /find: 200.tier can no longer be a', 'additive: GET /find: 200.tier can be c'],
    ],
    [
      'within a list',
      found({ items: { type: 'array', items: { type: 'object', properties: { n: { type: 'string' } } } } }),
      ['breaking: GET /find: 200.items[].n was number and is string'],
    ],
    [
      'no status any more',
      { operation: { responses: { 200: api().paths['/find']?.get?.responses[200] as never } } },
      ['breaking: GET /find: 4XX was removed'],
    ],
  ])('%s', (_name, after, expected) => {
    expect(texts({}, after)).toEqual(expected);
  });
});

it('allows new optional members in a body, and rejects new required ones', () => {
  const body = (properties: Readonly<Record<string, JsonSchema>>, required: string[]): ChangedParts => ({
    sent: { type: 'object', properties, required, additionalProperties: false },
  });
  const one = body({ a: { type: 'string' } }, ['a']);
  const two = { a: { type: 'string' }, b: { type: 'string' } };
  expect(texts(one, body(two, ['a']))).toEqual(['additive: GET /find: body.b was added']);
  expect(texts(one, body(two, ['a', 'b']))).toEqual(['breaking: GET /find: body.b was added']);
  expect(texts(one, body({ a: { type: 'string' } }, []))).toEqual([
    'additive: GET /find: body.a is optional',
  ]);
  expect(texts({}, one)).toEqual(['breaking: GET /find requires a body']);
});

it('allows new media types, and rejects the removal of one', () => {
  const schema = { type: 'string' };
  const responding = (...types: string[]): ChangedParts => ({
    operation: {
      responses: {
        200: { description: 'OK', content: Object.fromEntries(types.map((type) => [type, { schema }])) },
      },
    },
  });
  const [one, both] = [responding('text/plain'), responding('text/plain', 'text/html')];
  expect(texts(one, both)).toEqual(['additive: GET /find: 200 can be text/html']);
  expect(texts(both, one)).toEqual(['breaking: GET /find: 200 is no longer text/html']);
});

it('lets responses list the values of a member, which clients cannot send at will', () => {
  const $ref = '#/components/schemas/Found';
  const responding = (...values: string[]): ChangedParts => {
    const listed: JsonSchema = {
      allOf: [{ $ref }, { properties: { name: { type: 'string', enum: values } } }],
    };
    const content = { 'application/json': { schema: values.length === 0 ? { $ref } : listed } };
    return {
      found: { type: 'object', properties: { name: { type: 'string' } } },
      operation: { responses: { 400: { description: 'At fault', content } } },
    };
  };
  expect(texts(responding(), responding('a'))).toEqual([
    'additive: GET /find: 400.name is restricted to some values',
  ]);
  expect(texts(responding('a'), responding('a', 'b'))).toEqual(['additive: GET /find: 400.name can be b']);
  const sent = (schema: JsonSchema): ChangedParts => ({
    sent: { type: 'object', properties: { name: schema } },
  });
  expect(texts(sent({ type: 'string' }), sent({ type: 'string', enum: ['a'] }))).toEqual([
    'breaking: GET /find: body.name is restricted to some values',
  ]);
});

it('compares error codes and their statuses', () => {
  const code = (status: number) => ({ codes: { gone: { status, message: 'm', hint: 'h' } } });
  expect(texts({}, code(410))).toEqual(['additive: the error gone was added']);
  expect(texts(code(410), {})).toEqual(['breaking: the error gone was removed']);
  expect(texts(code(410), code(404))).toEqual(['breaking: the error gone has status 404 instead of 410']);
});

it('writes names as code in the changelog, without the punctuation after them', () => {
  const changes = [{ kind: 'additive', text: 'GET /a/{name}: 200.some_code was added' }] as const;
  expect(withEntry('', '2.4.0', changes)).toContain('- GET `/a/{name}`: `200.some_code` was added\n');
});

it('raises the version, and adds an entry to the changelog', () => {
  const changes = compareApis(api(), api(found({ more: { type: 'string' } })));
  expect(nextVersion('2.3.4', changes)).toBe('2.4.0');
  expect(nextVersion('2.3.4', [])).toBe('2.3.5');
  expect(withEntry('# Changelog\n\nWords.\n\n## 2.3.4\n\n- x\n', '2.4.0', changes)).toBe(
    '# Changelog\n\nWords.\n\n## 2.4.0\n\n- GET /find: 200.more was added\n\n## 2.3.4\n\n- x\n',
  );
  expect(withEntry('# Changelog\n', '2.3.5', [])).toBe(
    '# Changelog\n\n## 2.3.5\n\n- Descriptions and examples only\n\n',
  );
});
