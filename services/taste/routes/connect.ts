import { fastifyFormbody } from '@fastify/formbody';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type ConnectRequest, onlyOne, queryOf, readConnectRequest } from '../connect/connect-request.ts';
import type { ShownForm } from '../connect/form-token.ts';
import { readKnownPerson } from '../connect/read-connections.ts';
import { recordConsent } from '../connect/record-consent.ts';
import {
  type ConnectPage,
  type FormFaults,
  type PersonChoice,
  renderConnect,
} from '../connect/render-connect.ts';
import { withCode } from '../connect/return-url.ts';
import { readUsername } from '../connect/username.ts';
import { TasteError } from '../http/errors.ts';
import { FORM_LIMIT_BYTES, isOwnForm, parseForm, readForm } from '../http/form.ts';
import { type HtmlPage, sendPage } from '../http/page.ts';
import type { RouteDeclaration } from '../http/route-declaration.ts';
import type { RouteContext } from './route-context.ts';

const REJECTED: HtmlPage = {
  title: 'This cannot be connected',
  main: `<h1>This cannot be connected</h1>
<p>The app that sent you here has not registered its return address, or requested a source that it may not request. Nothing was
recorded.</p>
<p>Go back to the app and try again from there.</p>`,
};

const OUTDATED: HtmlPage = {
  title: 'Start again',
  main: `<h1>Start again</h1>
<p>This form was sent before or has expired, or your browser does not keep the cookies of this site. Sent again, it records nothing.</p>
<p>Go back to the app that sent you here and connect from there again. <a href="/connect/status">Your connections</a> show what you have connected.</p>`,
};

/** The purpose of a form, to which its token is bound. */
const formParts = ({ service, back }: ConnectRequest): readonly string[] => [
  'connect',
  back.consumer.id,
  service,
  back.href,
];

const PAGE: RouteDeclaration = {
  cors: false,
  auth: 'none',
  query: ['service', 'return'],
  request: null,
  responses: { 200: 'page', 400: 'page' },
  codes: [],
};

/** The form of the connect page. */
const ConnectForm = Type.Object({
  service: Type.String(),
  return: Type.String(),
  username: Type.String(),
  consent: Type.String(),
  person: Type.Optional(Type.String()),
  form_token: Type.String(),
});

const FORM: RouteDeclaration = {
  cors: false,
  auth: 'cookie',
  query: [],
  request: ConnectForm,
  responses: { 302: 'redirect', 400: 'page', 403: 'page', 422: 'page' },
  codes: [],
};

/** The page on which a user connects a source to a consumer. */
export const connectRoutes: FastifyPluginAsync<RouteContext> = async (app, context) => {
  await app.register(fastifyFormbody, { parser: parseForm });
  app.get('/connect', { config: { declaration: PAGE } }, (request, reply) =>
    handlePage(context, request, reply),
  );
  app.post('/connect', { bodyLimit: FORM_LIMIT_BYTES, config: { declaration: FORM } }, (request, reply) =>
    handleForm(context, request, reply),
  );
};

async function handlePage(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const connectRequest = readConnectRequest(queryOf(request.url), context.consumers);
  if (connectRequest === null) return reject(context, reply);
  return show(reply, await startPage(context, reply, connectRequest));
}

async function handleForm(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { parts, cookies, forms, consents, recordEvent } = context;
  const form = readForm(request);
  const connectRequest = readConnectRequest(form, context.consumers);
  if (connectRequest === null) return reject(context, reply);
  const token = onlyOne(form, 'form_token') ?? '';
  const shown = forms.verify(token, cookies.readForm(request), formParts(connectRequest));
  if (shown === null || !isOwnForm(request, parts.origin)) return rejectForm(context, reply);
  const typed = onlyOne(form, 'username') ?? '';
  const isConsenting = onlyOne(form, 'consent') === 'yes';
  const person = readPersonChoice(onlyOne(form, 'person'));
  const username = readUsername(typed);
  const page = await startPage(context, reply, connectRequest);
  const isChosen = person !== null || page.known === null;
  if (typeof username !== 'string' || !isConsenting || !isChosen) {
    const faults = faultsOf({ username, isConsenting, isChosen });
    return show(reply, { ...page, username: typed, isConsenting, person, faults }, 422);
  }
  const retryAfterSeconds = await consents.take(request.ip);
  if (retryAfterSeconds !== null) {
    recordEvent('connect limited');
    throw new TasteError('rate_limited', { retryAfterSeconds });
  }
  const personSecret = cookies.readPerson(request);
  const isSomebodyElse = person === 'other';
  return connect(context, reply, { form: shown, connectRequest, username, personSecret, isSomebodyElse });
}

const readPersonChoice = (given: string | null): PersonChoice | null =>
  given === 'same' || given === 'other' ? given : null;

interface SubmittedForm {
  readonly form: ShownForm;
  readonly connectRequest: ConnectRequest;
  readonly username: string;
  readonly personSecret: string | null;
  readonly isSomebodyElse: boolean;
}

/** Records the user's consent, and redirects to the consumer. */
async function connect(
  context: RouteContext,
  reply: FastifyReply,
  { connectRequest: { service, back }, ...submitted }: SubmittedForm,
) {
  const { parts, cookies, recordEvent } = context;
  const consumer = back.consumer.id;
  const recorded = await recordConsent(parts.pool, {
    ...submitted,
    consumer,
    service,
    contract: `${parts.contract.contract} revision ${parts.contract.revision}`,
  });
  if (recorded === null) return rejectForm(context, reply);
  cookies.setPersonCookie(reply, recorded.personSecret);
  recordEvent('consent granted', { consumer, service });
  return reply
    .code(302)
    .headers({ location: withCode(back, recorded.code), 'cache-control': 'no-store' })
    .send();
}

function reject({ recordEvent }: RouteContext, reply: FastifyReply) {
  recordEvent('connect refused');
  return sendPage(reply, REJECTED, 400);
}

function rejectForm({ recordEvent }: RouteContext, reply: FastifyReply) {
  recordEvent('form refused');
  return sendPage(reply, OUTDATED, 403);
}

/** The response to the form may only lead to the consumer. */
const show = (reply: FastifyReply, page: ConnectPage, status = 200) =>
  sendPage(reply, { ...renderConnect(page), forwardsTo: [page.request.back.consumer.origin] }, status);

async function startPage(
  { parts, cookies, forms }: RouteContext,
  reply: FastifyReply,
  connectRequest: ConnectRequest,
): Promise<ConnectPage> {
  const { service, back } = connectRequest;
  const secret = cookies.readPerson(reply.request);
  const known =
    secret === null
      ? null
      : await readKnownPerson(parts.pool, secret, { consumer: back.consumer.id, service });
  const nonce = cookies.ensureFormCookie(reply.request, reply);
  return { request: connectRequest, formToken: forms.issue(nonce, formParts(connectRequest)), known };
}

interface ReadForm {
  readonly username: ReturnType<typeof readUsername>;
  readonly isConsenting: boolean;
  /** Whether the user chose who they are, or need not. */
  readonly isChosen: boolean;
}

const faultsOf = ({ username, isConsenting, isChosen }: ReadForm): FormFaults => ({
  ...(isConsenting ? {} : { consent: 'Agree to the import, or go back without connecting.' }),
  ...(typeof username === 'string' ? {} : { username: username.fault }),
  ...(isChosen ? {} : { person: 'Choose whether you are the same person as before.' }),
});
