import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { DictionaryBody, DictionaryEntriesBody } from '../schemas/dictionary.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { servedDictionary } from '../serving/dictionary.ts';
import { matchesEtag } from '../serving/etag.ts';

/** What the surfaces mean; it changes with the deployed code only. */
export const dictionaryRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  _options,
  done,
) => {
  const { asMarkdown, asEntries, etag, headers } = servedDictionary();

  const answer = <Body extends object>(request: FastifyRequest, reply: FastifyReply, body: Body): void => {
    reply.headers({ ...headers, etag });
    if (matchesEtag(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.send(body);
  };

  app.get(
    '/api/v2/semantics/dictionary',
    {
      schema: {
        operationId: 'getDictionary',
        summary: 'Semantics dictionary, to be read',
        tags: ['surface'],
        querystring: NoQuery,
        response: { 200: DictionaryBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => answer(request, reply, asMarkdown),
  );

  app.get(
    '/api/v2/semantics/dictionary.json',
    {
      schema: {
        operationId: 'getDictionaryEntries',
        summary: 'Semantics dictionary, by entry',
        tags: ['surface'],
        querystring: NoQuery,
        response: { 200: DictionaryEntriesBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => answer(request, reply, asEntries),
  );

  done();
};
