import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../../http/json-type.ts';
import { queryOf } from '../connect/connect-request.ts';
import { renderContract } from '../contract/render-contract.ts';
import { TasteError } from '../http/errors.ts';
import { pageHeaders, renderPage } from '../http/page.ts';
import type { RouteDeclaration } from '../http/route-declaration.ts';
import type { RouteContext } from './route-context.ts';

const CONTRACT = '/contracts/v1';
const FRESH = 'public, max-age=300';

const declaration: RouteDeclaration = {
  cors: false,
  auth: 'none',
  query: ['revision'],
  request: null,
  responses: { 200: 'contract' },
  codes: [],
};

/** The contract as it is in force, or an earlier revision: a page for people, JSON for programs. */
export const contractRoutes: FastifyPluginAsync<RouteContext> = async (app, { parts }) => {
  const newest = parts.contract.revision;
  const revisions = new Map(
    [...parts.earlierRevisions, parts.contract].map((contract) => [
      String(contract.revision),
      {
        json: `${JSON.stringify(contract, null, 2)}\n`,
        page: renderPage(renderContract(contract, newest)),
      },
    ]),
  );
  /** @throws TasteError if there is no such revision */
  function requestedRevision({ url }: FastifyRequest) {
    const found = revisions.get(queryOf(url).get('revision') ?? String(newest));
    if (found === undefined) throw new TasteError('not_found');
    return found;
  }
  const sendJson = (reply: FastifyReply, json: string) =>
    reply.type(JSON_TYPE).header('cache-control', FRESH).send(json);

  app.get(CONTRACT, { config: { declaration } }, async (request, reply) => {
    const { json, page } = requestedRevision(request);
    reply.header('vary', 'Accept');
    if (!prefersHtml(request)) return sendJson(reply, json);
    return reply
      .headers({ ...pageHeaders(), 'cache-control': FRESH })
      .type('text/html; charset=utf-8')
      .send(page);
  });
  app.get(`${CONTRACT}.json`, { config: { declaration } }, async (request, reply) =>
    sendJson(reply, requestedRevision(request).json),
  );
  app.get(
    '/',
    { config: { declaration: { ...declaration, query: [], responses: { 302: 'redirect' } } } },
    async (_request, reply) => reply.redirect(CONTRACT),
  );
};

/** Browsers name HTML first; clients that accept anything get JSON. */
const prefersHtml = ({ headers }: FastifyRequest): boolean => {
  const [first = ''] = (headers.accept ?? '').split(',');
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(first);
};
