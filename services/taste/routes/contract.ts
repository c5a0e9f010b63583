import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../../http/json-type.ts';
import { renderContract } from '../contract/render-contract.ts';
import { pageHeaders, renderPage } from '../http/page.ts';
import type { RoutePromise } from '../http/promise.ts';
import type { RouteContext } from './index.ts';

const CONTRACT = '/contracts/v1';
const FRESH = 'public, max-age=300';

const promise: RoutePromise = {
  cors: false,
  auth: 'none',
  query: [],
  request: null,
  answers: { 200: 'contract' },
  codes: [],
};

/** The contract as it is in force: a page for people, JSON for programs. */
export const contractRoutes: FastifyPluginAsync<RouteContext> = async (app, { parts }) => {
  const json = `${JSON.stringify(parts.contract, null, 2)}\n`;
  const page = renderPage(renderContract(parts.contract));
  const sendJson = (reply: FastifyReply) => reply.type(JSON_TYPE).header('cache-control', FRESH).send(json);

  app.get(CONTRACT, { config: { promise } }, async (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersHtml(request)) return sendJson(reply);
    return reply
      .headers({ ...pageHeaders(), 'cache-control': FRESH })
      .type('text/html; charset=utf-8')
      .send(page);
  });
  app.get(`${CONTRACT}.json`, { config: { promise } }, async (_request, reply) => sendJson(reply));
  app.get(
    '/',
    { config: { promise: { ...promise, answers: { 302: 'redirect' } } } },
    async (_request, reply) => reply.redirect(CONTRACT),
  );
};

/** Browsers name HTML before all else; who takes anything gets JSON. */
const prefersHtml = ({ headers }: FastifyRequest): boolean => {
  const [first = ''] = (headers.accept ?? '').split(',');
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(first);
};
