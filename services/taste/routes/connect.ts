import { fastifyFormbody } from '@fastify/formbody';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type ConnectRequest, onlyOne, queryOf, readConnectRequest } from '../connect/connect-request.ts';
import { readKnownPerson } from '../connect/read-connections.ts';
import { recordConsent } from '../connect/record-consent.ts';
import { type ConnectPage, type FormFaults, renderConnect } from '../connect/render-connect.ts';
import { withCode } from '../connect/return-url.ts';
import { readUsername } from '../connect/username.ts';
import { TasteError } from '../http/errors.ts';
import { FORM_LIMIT_BYTES, isFromElsewhere, parseForm, readForm } from '../http/form.ts';
import { type Page, sendPage } from '../http/page.ts';
import type { RoutePromise } from '../http/promise.ts';
import { ConnectForm } from '../schemas.ts';
import type { RouteContext } from './index.ts';

const REFUSED: Page = {
  title: 'This cannot be connected',
  main: `<h1>This cannot be connected</h1>
<p>The address you came by is not one that Linernotes connects for: the app that sent you here has not registered where it wants
you back, or asked for a source it may not ask for. Nothing was recorded.</p>
<p>Go back to the app and try again from there.</p>`,
};

const OUTDATED: Page = {
  title: 'Start again',
  main: `<h1>Start again</h1>
<p>This form has been open for too long, or your browser does not keep the cookies of this site. Nothing was recorded.</p>
<p>Go back to the app that sent you here and connect from there again.</p>`,
};

/** What a form is for, which its token holds for alone. */
const formParts = ({ service, back }: ConnectRequest): readonly string[] => [
  'connect',
  back.consumer.id,
  service,
  back.href,
];

const PAGE: RoutePromise = {
  cors: false,
  auth: 'none',
  query: ['service', 'return'],
  request: null,
  answers: { 200: 'page', 400: 'page' },
  codes: [],
};

const FORM: RoutePromise = {
  cors: false,
  auth: 'cookie',
  query: [],
  request: ConnectForm,
  answers: { 302: 'redirect', 400: 'page', 403: 'page', 422: 'page' },
  codes: [],
};

/** The page on which a user connects a source to a consumer. */
export const connectRoutes: FastifyPluginAsync<RouteContext> = async (app, context) => {
  await app.register(fastifyFormbody, { parser: parseForm });
  app.get('/connect', { config: { promise: PAGE } }, (request, reply) => answerPage(context, request, reply));
  app.post('/connect', { bodyLimit: FORM_LIMIT_BYTES, config: { promise: FORM } }, (request, reply) =>
    answerForm(context, request, reply),
  );
};

async function answerPage(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const asked = readConnectRequest(queryOf(request.url), context.consumers);
  if (asked === null) return refuse(context, reply);
  return show(reply, 200, await startPage(context, request, reply, asked));
}

async function answerForm(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { cookies, forms, consents, note } = context;
  const form = readForm(request);
  const asked = readConnectRequest(form, context.consumers);
  if (asked === null) return refuse(context, reply);
  const token = onlyOne(form, 'form_token') ?? '';
  if (isFromElsewhere(request) || !forms.isValid(token, cookies.readForm(request), formParts(asked))) {
    note('form refused');
    return sendPage(reply, 403, OUTDATED);
  }
  const typed = onlyOne(form, 'username') ?? '';
  const isConsenting = onlyOne(form, 'consent') === 'yes';
  const isSomebodyElse = onlyOne(form, 'as_somebody_else') === 'yes';
  const username = readUsername(typed);
  if (typeof username !== 'string' || !isConsenting) {
    const faults = faultsOf(username, isConsenting);
    const page = await startPage(context, request, reply, asked);
    return show(reply, 422, { ...page, username: typed, isConsenting, isSomebodyElse, faults });
  }
  const retryAfterSeconds = consents.take(request.ip);
  if (retryAfterSeconds !== null) {
    note('connect limited');
    throw new TasteError('rate_limited', { retryAfterSeconds });
  }
  const personSecret = isSomebodyElse ? null : cookies.readPerson(request);
  return connect(context, reply, { asked, username, personSecret });
}

interface Connecting {
  readonly asked: ConnectRequest;
  readonly username: string;
  readonly personSecret: string | null;
}

/** Records what the user consented to, and sends them back to the consumer. */
async function connect(
  { parts, cookies, note }: RouteContext,
  reply: FastifyReply,
  { asked: { service, back }, username, personSecret }: Connecting,
) {
  const consumer = back.consumer.id;
  const recorded = await recordConsent(parts.pool, {
    personSecret,
    consumer,
    service,
    username,
    contract: `${parts.contract.contract} revision ${parts.contract.revision}`,
  });
  cookies.keepPerson(reply, recorded.personSecret);
  note('consent granted', { consumer, service });
  return reply
    .code(302)
    .headers({ location: withCode(back, recorded.code), 'cache-control': 'no-store' })
    .send();
}

function refuse({ note }: RouteContext, reply: FastifyReply) {
  note('connect refused');
  return sendPage(reply, 400, REFUSED);
}

/** The answer to the form may only lead to the consumer. */
const show = (reply: FastifyReply, status: number, page: ConnectPage) =>
  sendPage(reply, status, renderConnect(page), [page.request.back.consumer.origin]);

async function startPage(
  { parts, cookies, forms }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: ConnectRequest,
): Promise<ConnectPage> {
  const secret = cookies.readPerson(request);
  const known =
    secret === null ? null : await readKnownPerson(parts.pool, secret, asked.back.consumer.id, asked.service);
  const formToken = forms.issue(cookies.keepForm(request, reply), formParts(asked));
  return { request: asked, formToken, known };
}

const faultsOf = (username: ReturnType<typeof readUsername>, isConsenting: boolean): FormFaults => ({
  ...(isConsenting ? {} : { consent: 'Agree to the import, or go back without connecting.' }),
  ...(typeof username === 'string' ? {} : { username: username.fault }),
});
