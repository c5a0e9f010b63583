import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Dictionary,
  DictionaryEntry,
  readDictionary,
  SCHEMA_VERSION,
} from '../../../projections/models/semantics/dictionary.ts';
import { dictionaryMarkdown } from '../../../projections/models/semantics/markdown.ts';
import { ErrorBody } from '../../http/errors.ts';
import { matchesEtag, weakEtag } from '../../http/etag.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { prefersToJson } from '../../http/plugins/errors.ts';
import type { QueryParts } from '../parts.ts';

export const DictionaryBody = Type.Object({
  object: Type.Literal('semantics.dictionary'),
  format: Type.Literal('markdown'),
  source: Type.String({ description: 'Producers of the entries.' }),
  source_sha: Type.String({
    description: 'SHA-256 of the compiled dictionary; changes with its content.',
  }),
  vendored_at: Type.String({ format: 'date', description: 'Day on which the entries were compiled.' }),
  note: Type.String(),
  body: Type.String({ description: 'The dictionary as Markdown.' }),
});
export type DictionaryBody = Static<typeof DictionaryBody>;

const DictionaryEntriesBody = Type.Object({
  schema_version: Type.Literal(SCHEMA_VERSION, {
    description: 'Within a version, entries and fields are only added.',
  }),
  generator: Type.String(),
  entries: Type.Record(Type.String(), DictionaryEntry, { description: 'Entries by name.' }),
});

const MARKDOWN = 'text/markdown';

/** The meaning of the surfaces. It changes only with the deployed code. */
export const dictionaryRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  _options,
  done,
) => {
  const { asMarkdown, asEntries, etags, headers } = servedDictionary();

  const respond = (
    request: FastifyRequest,
    reply: FastifyReply,
    {
      etag,
      type = JSON_TYPE,
      body,
    }: { readonly etag: string; readonly type?: string; readonly body: object | string },
  ): void => {
    reply.headers({ ...headers, etag });
    if (matchesEtag(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.type(type).send(body);
  };

  app.get(
    '/api/v2/semantics/dictionary',
    {
      schema: {
        operationId: 'getDictionary',
        summary: 'Semantics dictionary as Markdown',
        description:
          'Explains the surfaces: clock classes, screening of aliases, k-anonymity floors, grains and the notes of producers. It changes only with a release of the service, and then source_sha does. With `Accept: text/markdown` the response is the Markdown itself.',
        tags: ['surface'],
        response: { 200: DictionaryBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => {
      reply.header('vary', 'Accept');
      if (prefersToJson(MARKDOWN, request.headers.accept))
        respond(request, reply, {
          etag: etags.markdown,
          type: `${MARKDOWN}; charset=utf-8`,
          body: asMarkdown.body,
        });
      else respond(request, reply, { etag: etags.json, body: asMarkdown });
    },
  );

  app.get(
    '/api/v2/semantics/dictionary.json',
    {
      schema: {
        operationId: 'getDictionaryEntries',
        summary: 'Semantics dictionary, by entry',
        description:
          'Returns the same dictionary as an object of entries by name. Entries have no formulas and no raw magnitudes. Ignore members that you do not know: within a schema_version, entries and members are only added.',
        tags: ['surface'],
        response: { 200: DictionaryEntriesBody, 304: Type.Null(), '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => respond(request, reply, { etag: etags.json, body: asEntries }),
  );

  done();
};

/** The dictionary in its two forms, with their headers. It never changes while the process runs. */
interface ServedDictionary {
  readonly asMarkdown: DictionaryBody;
  readonly asEntries: Pick<Dictionary, 'schema_version' | 'generator' | 'entries'>;
  readonly etags: { readonly json: string; readonly markdown: string };
  readonly headers: Readonly<Record<string, string>>;
}

function servedDictionary(): ServedDictionary {
  const dictionary = readDictionary();
  const { schema_version, generator, entries, source_sha, vendored_at } = dictionary;
  return {
    asMarkdown: {
      object: 'semantics.dictionary',
      format: 'markdown',
      source: sourceOf(dictionary),
      source_sha,
      vendored_at,
      note: 'The meaning of the surfaces, as described by their producers, without formulas and magnitudes. /api/v2/semantics/dictionary.json has the same per entry.',
      body: dictionaryMarkdown(dictionary),
    },
    asEntries: { schema_version, generator, entries },
    etags: { json: weakEtag(source_sha), markdown: weakEtag(source_sha, 'markdown') },
    headers: {
      'x-dictionary-source-sha': source_sha,
      'x-dictionary-vendored-at': vendored_at,
      'cache-control': 'private, max-age=300',
    },
  };
}

function sourceOf({ generator, entries }: Dictionary): string {
  const producers = new Set(Object.values(entries).flatMap(({ producer }) => producer ?? []));
  return `${generator}: ${[...producers].sort().join(', ')}`;
}
