import { fastifyFormbody } from '@fastify/formbody';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { onlyOne, queryOf } from '../connect/connect-request.ts';
import { readConnections } from '../connect/read-connections.ts';
import { renderStatus } from '../connect/render-status.ts';
import { withdrawConsent } from '../connect/withdraw-consent.ts';
import { FORM_LIMIT_BYTES, isFromElsewhere, parseForm, readForm } from '../http/form.ts';
import { type Page, STYLE, STYLE_PATH, sendPage } from '../http/page.ts';
import type { RoutePromise } from '../http/promise.ts';
import { WithdrawForm } from '../schemas.ts';
import type { RouteContext } from './index.ts';

const OUTDATED: Page = {
  title: 'Start again',
  main: `<h1>Start again</h1>
<p>This form has been open for too long, or your browser does not keep the cookies of this site. Nothing was withdrawn.</p>
<p><a href="/connect/status">Your connections</a></p>`,
};

const formParts = (receipt: string): readonly string[] => ['withdraw', receipt];

const PAGE: RoutePromise = {
  cors: false,
  auth: 'cookie',
  query: ['refresh'],
  request: null,
  answers: { 200: 'page' },
  codes: [],
};

const WITHDRAW: RoutePromise = {
  cors: false,
  auth: 'cookie',
  query: [],
  request: WithdrawForm,
  answers: { 303: 'redirect', 403: 'page' },
  codes: [],
};

const STYLE_SHEET: RoutePromise = {
  cors: false,
  auth: 'none',
  query: [],
  request: null,
  answers: { 200: 'style' },
  codes: [],
};

/** What a user has connected, how far its import is, and the way to end it. */
export const statusRoutes: FastifyPluginAsync<RouteContext> = async (app, context) => {
  await app.register(fastifyFormbody, { parser: parseForm });
  app.get('/connect/status', { config: { promise: PAGE } }, (request, reply) =>
    answerPage(context, request, reply),
  );
  app.post(
    '/connect/withdraw',
    { bodyLimit: FORM_LIMIT_BYTES, config: { promise: WITHDRAW } },
    (request, reply) => answerForm(context, request, reply),
  );
  app.get(STYLE_PATH, { config: { promise: STYLE_SHEET } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=300').send(STYLE),
  );
};

async function answerPage(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { parts, consumers, cookies, forms } = context;
  const secret = cookies.readPerson(request);
  const known = secret === null ? null : await readConnections(parts.pool, secret);
  // Whoever looks after what they have connected must not lose it to the age of a cookie.
  if (secret !== null && known !== null) cookies.keepPerson(reply, secret);
  const connections = known ?? [];
  const nonce = connections.length === 0 ? '' : cookies.keepForm(request, reply);
  const shown = connections.map((connection) => ({
    ...connection,
    consumerName: consumers.byId(connection.consumer)?.name ?? connection.consumer,
    formToken: forms.issue(nonce, formParts(connection.receipt)),
  }));
  return sendPage(reply, 200, renderStatus(shown, queryOf(request.url).get('refresh') !== 'off'));
}

async function answerForm(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { parts, cookies, forms, note } = context;
  const form = readForm(request);
  const receipt = onlyOne(form, 'receipt') ?? '';
  const token = onlyOne(form, 'form_token') ?? '';
  const secret = cookies.readPerson(request);
  const isValid = forms.isValid(token, cookies.readForm(request), formParts(receipt));
  if (secret === null || isFromElsewhere(request) || !isValid) {
    note('form refused');
    return sendPage(reply, 403, OUTDATED);
  }
  const withdrawn = await withdrawConsent(parts.pool, secret, receipt);
  if (withdrawn !== null) note('consent withdrawn', withdrawn);
  return reply.code(303).headers({ location: '/connect/status', 'cache-control': 'no-store' }).send();
}
