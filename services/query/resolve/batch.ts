import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { ApiError, ErrorBody, errorBody } from '../../http/errors.ts';
import { COSTLY } from '../../http/fair-queue.ts';
import { invalidQuery } from '../../http/plugins/errors.ts';
import { sendJson } from '../../http/send-json.ts';
import type { QueryParts } from '../parts.ts';
import { chooseLocator, type Locator, type LocatorQuery, parseLocator } from './locator.ts';
import { resolver } from './resolve.ts';
import { ResolveQuery, resolveProperties } from './schema.ts';

const MAX_BATCH = 100;

const ResolveBatchBody = Type.Object(
  {
    locators: Type.Array(
      Type.Object(ResolveQuery.properties, {
        description: 'One locator with the parameters of GET /api/v2/resolve.',
      }),
      { minItems: 1, maxItems: MAX_BATCH },
    ),
  },
  { additionalProperties: false },
);

const ajv = new Ajv({ allErrors: true, coerceTypes: 'array', verbose: true });
const isLocator = ajv.compile<LocatorQuery>(ResolveQuery);
/** The body as a whole: an invalid locator is an error in the results, not of the request. */
const isList = ajv.compile(
  Type.Object(
    { locators: Type.Array(Type.Object({}), { minItems: 1, maxItems: MAX_BATCH }) },
    { additionalProperties: false },
  ),
);

const indexed = (properties: Readonly<Record<string, TSchema>>) =>
  Type.Object({ index: Type.Integer({ description: 'Index in locators, from 0.' }), ...properties });

export const ResolveBatchResults = Type.Object({
  results: Type.Array(Type.Union([indexed(resolveProperties), indexed(ErrorBody.properties)]), {
    description: 'One result per locator, in the same order: an identity, or the error of that locator.',
  }),
});

/** Resolves many locators in one request. Each succeeds or fails on its own. */
export const resolveBatchRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const resolverOf = resolver(parts.readPool);
  app.post(
    '/api/v2/resolve/batch',
    {
      config: { cost: COSTLY, errors: ['invalid_query'] },
      schema: {
        operationId: 'resolveBatch',
        summary: 'Identities of up to 100 locators of any kind',
        description:
          'Resolves up to 100 locators, each with the parameters of GET /api/v2/resolve. Results have the order of the request. An invalid locator gets an error as its result, and the others are resolved all the same. The request counts once against the limits of the key.',
        tags: ['identity'],
        body: ResolveBatchBody,
        response: { 200: ResolveBatchResults, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      validatorCompiler: () => isList,
    },
    async (request, reply) => {
      const resolve = resolverOf();
      const results = request.body.locators.map(async (entry, index) => {
        const locator = readLocator(entry);
        const text =
          locator instanceof ApiError
            ? JSON.stringify(errorBody(locator, parts.baseUrl(), request.id))
            : await resolve(locator);
        return `{"index":${index},${text.slice(1)}`;
      });
      return sendJson(reply, `{"results":[${await Promise.all(results)}]}`);
    },
  );
  done();
};

/** The locator of an entry, or its error. */
function readLocator(entry: object): Locator | ApiError {
  try {
    const by = chooseLocator({ ...entry });
    return isLocator(entry) ? parseLocator(by, entry) : invalidQuery(isLocator.errors ?? []);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
