import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { ResolveBody, ResolveQuery } from '../schemas/resolve.ts';
import { chooseLocator, parseLocator } from '../serving/locator.ts';
import { resolver } from '../serving/resolve.ts';
import { sendJson } from '../serving/send-json.ts';

export const resolveRoutes: FastifyPluginCallbackTypebox<{
  parts: QueryParts;
}> = (app, { parts }, done) => {
  const resolverOf = resolver(parts.readPool);
  app.get(
    '/api/v2/resolve',
    {
      schema: {
        operationId: 'resolve',
        summary: 'The identity that a name, a pasted link, a structured id or a recording stands for',
        tags: ['identity'],
        querystring: ResolveQuery,
        response: { 200: ResolveBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      attachValidation: true,
    },
    async (request, reply) => {
      const { query, validationError } = request;
      // Before the schema speaks: without a locator, what else was sent does not matter.
      const by = chooseLocator(query);
      if (validationError !== undefined) throw validationError;
      return sendJson(reply, await resolverOf()(parseLocator(by, query)));
    },
  );
  done();
};
