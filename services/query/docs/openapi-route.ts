import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { ErrorBody } from '../../http/errors.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import type { QueryParts } from '../parts.ts';
import { readDocument } from './read-document.ts';
import { servedText } from './served-text.ts';

const Anything = Type.Record(Type.String(), Type.Unknown());

/** The members of an OpenAPI document that clients rely on. */
const OpenApiBody = Type.Object({
  openapi: Type.String({ description: 'Version of the OpenAPI specification.' }),
  info: Type.Object({
    title: Type.String(),
    version: Type.String({ description: 'Increases with every change of the document.' }),
    description: Type.String(),
  }),
  servers: Type.Array(Type.Object({ url: Type.String() })),
  security: Type.Array(Anything),
  tags: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  paths: Type.Record(Type.String(), Type.Unknown(), { description: 'Operations by path and method.' }),
  components: Anything,
  'x-error-codes': Type.Record(
    Type.String(),
    Type.Object({ status: Type.Integer(), message: Type.String(), hint: Type.String() }),
    { description: 'Every value of error.' },
  ),
});

/** The description of the API for machines. */
export const openApiRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, _options, done) => {
  const document = servedText({
    type: JSON_TYPE,
    load: () => JSON.stringify(readDocument()),
  });
  app.get(
    '/api/v2/openapi.json',
    {
      config: { isPublic: true },
      schema: {
        operationId: 'getOpenApi',
        summary: 'This API as an OpenAPI 3.1 document',
        description:
          'Returns this document, which is generated from the routes. Works without an API key, within a limit for each address. info.version increases with every change of the document.',
        tags: ['index'],
        response: { 200: OpenApiBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      await document.send(request, reply);
      // Fastify would send a returned undefined as the response while compression is pending.
      return reply;
    },
  );
  done();
};
