import { fastifyFormbody } from '@fastify/formbody';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { onlyOne, queryOf } from '../connect/connect-request.ts';
import { readConnections } from '../connect/read-connections.ts';
import { renderStatus } from '../connect/render-status.ts';
import { withdrawConsent } from '../connect/withdraw-consent.ts';
import { FORM_LIMIT_BYTES, isOwnForm, parseForm, readForm } from '../http/form.ts';
import { type HtmlPage, STYLE, STYLE_PATH, sendPage } from '../http/page.ts';
import type { RouteDeclaration } from '../http/route-declaration.ts';
import type { RouteContext } from './route-context.ts';

const OUTDATED: HtmlPage = {
  title: 'Start again',
  main: `<h1>Start again</h1>
<p>This form was sent before or has expired, or your browser does not keep the cookies of this site. Sent again, it withdraws nothing.</p>
<p><a href="/connect/status">Your connections</a></p>`,
};

const formParts = (receipt: string): readonly string[] => ['withdraw', receipt];

const PAGE: RouteDeclaration = {
  cors: false,
  auth: 'cookie',
  query: ['refresh'],
  request: null,
  responses: { 200: 'page' },
  codes: [],
};

/** The form that withdraws a consent. */
const WithdrawForm = Type.Object({ receipt: Type.String(), form_token: Type.String() });

const WITHDRAW: RouteDeclaration = {
  cors: false,
  auth: 'cookie',
  query: [],
  request: WithdrawForm,
  responses: { 303: 'redirect', 403: 'page' },
  codes: [],
};

const STYLE_SHEET: RouteDeclaration = {
  cors: false,
  auth: 'none',
  query: [],
  request: null,
  responses: { 200: 'style' },
  codes: [],
};

/** A user's connections, the state of their imports, and how to end them. */
export const statusRoutes: FastifyPluginAsync<RouteContext> = async (app, context) => {
  await app.register(fastifyFormbody, { parser: parseForm });
  app.get('/connect/status', { config: { declaration: PAGE } }, (request, reply) =>
    handlePage(context, request, reply),
  );
  app.post(
    '/connect/withdraw',
    { bodyLimit: FORM_LIMIT_BYTES, config: { declaration: WITHDRAW } },
    (request, reply) => handleForm(context, request, reply),
  );
  app.get(STYLE_PATH, { config: { declaration: STYLE_SHEET } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=300').send(STYLE),
  );
};

async function handlePage(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { parts, consumers, cookies, forms } = context;
  const secret = cookies.readPerson(request);
  const known = secret === null ? null : await readConnections(parts.pool, secret);
  // A visit renews the cookie, so that its age does not end the connections.
  if (secret !== null && known !== null) cookies.setPersonCookie(reply, secret);
  const connections = known ?? [];
  const isConnected = connections.some(({ endedAt }) => endedAt === null);
  const nonce = isConnected ? cookies.ensureFormCookie(request, reply) : '';
  const shown = connections.map((connection) => ({
    ...connection,
    consumerName: consumers.byId(connection.consumer)?.name ?? connection.consumer,
    formToken: forms.issue(nonce, formParts(connection.receipt)),
  }));
  return sendPage(reply, renderStatus(shown, queryOf(request.url).get('refresh') !== 'off'));
}

async function handleForm(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { parts, cookies, forms, recordEvent } = context;
  const form = readForm(request);
  const receipt = onlyOne(form, 'receipt') ?? '';
  const token = onlyOne(form, 'form_token') ?? '';
  const secret = cookies.readPerson(request);
  const shown = forms.verify(token, cookies.readForm(request), formParts(receipt));
  const withdrawn =
    secret === null || shown === null || !isOwnForm(request, parts.origin)
      ? 'rejected'
      : await withdrawConsent(parts.pool, { personSecret: secret, receipt, form: shown });
  if (withdrawn === 'used' || withdrawn === 'rejected') {
    recordEvent('form refused');
    return sendPage(reply, OUTDATED, 403);
  }
  if (withdrawn !== null) recordEvent('consent withdrawn', withdrawn);
  return reply.code(303).headers({ location: '/connect/status', 'cache-control': 'no-store' }).send();
}
