import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { JSON_TYPE } from '../../http/json-type.ts';
import { readDocument } from '../docs/read-document.ts';
import { servedText } from '../docs/served-text.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { OpenApiBody } from '../schemas/openapi.ts';

/** The description of the API for machines. */
export const openApiRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, _options, done) => {
  const document = servedText({
    type: JSON_TYPE,
    make: () => JSON.stringify(readDocument()),
  });
  app.get(
    '/api/v2/openapi.json',
    {
      config: { isPublic: true },
      schema: {
        operationId: 'getOpenApi',
        summary: 'This API as an OpenAPI 3.1 document',
        tags: ['index'],
        querystring: NoQuery,
        response: { 200: OpenApiBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      await document.send(request, reply);
      // While the answer is compressed, anything else would be taken for it.
      return reply;
    },
  );
  done();
};
