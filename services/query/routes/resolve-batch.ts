import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { ApiError, ErrorBody, errorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { invalidQuery } from '../plugins/errors.ts';
import { ResolveBatchBody, ResolveBatchResults, ResolveQuery } from '../schemas/resolve.ts';
import { chooseLocator, type Locator, type LocatorQuery, parseLocator } from '../serving/locator.ts';
import { resolver } from '../serving/resolve.ts';
import { sendJson } from '../serving/send-json.ts';

/** Many locators in one request, each answered or refused on its own. */
export const resolveBatchRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const resolverOf = resolver(parts.readPool);
  app.post(
    '/api/v2/resolve/batch',
    {
      schema: {
        operationId: 'resolveBatch',
        summary: 'The identities that up to 100 locators of any kind stand for',
        tags: ['identity'],
        body: ResolveBatchBody,
        response: { 200: ResolveBatchResults, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const resolve = resolverOf();
      const results = request.body.locators.map(async (asked, index) => {
        const locator = readLocator(request, asked);
        const answer =
          locator instanceof ApiError
            ? JSON.stringify(errorBody(locator, parts.baseUrl(), request.id))
            : await resolve(locator);
        return `{"index":${index},${answer.slice(1)}`;
      });
      return sendJson(reply, `{"results":[${await Promise.all(results)}]}`);
    },
  );
  done();
};

/** What an entry asks for, or why it cannot be answered. */
function readLocator(request: FastifyRequest, asked: object): Locator | ApiError {
  try {
    const by = chooseLocator({ ...asked });
    const validate = request.compileValidationSchema(ResolveQuery, 'querystring');
    if (!validate(asked)) return invalidQuery(validate.errors ?? []);
    return parseLocator(by, asked as LocatorQuery);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
