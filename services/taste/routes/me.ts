import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { TasteError } from '../http/errors.ts';
import { callerOf, consumerIdOf, hideFromPage } from '../http/me-headers.ts';
import type { RoutePromise } from '../http/promise.ts';
import { exchangeCode } from '../profile/exchange-code.ts';
import { type ReadProfile, readProfile } from '../profile/read-profile.ts';
import { revokeToken } from '../profile/revoke-token.ts';
import { SCOPES } from '../profile/scopes.ts';
import { digestOf } from '../profile/secrets.ts';
import type { Bearer, RefusedToken } from '../profile/token-state.ts';
import { ExchangeBody, ExchangeRequest, type Profile, ProfileBody } from '../schemas.ts';
import type { RouteContext } from './index.ts';

const TOKEN = '/api/v1/me/token';
const PROFILE = '/api/v1/me/profile';
const BEARER = /^Bearer +(?<token>\S+) *$/i;
export const BODY_LIMIT_BYTES = 4_096;
const TOKEN_CODES = ['token_invalid', 'token_expired', 'token_revoked'] as const;

const EXCHANGE: RoutePromise = {
  cors: true,
  auth: 'code',
  query: [],
  request: ExchangeRequest,
  answers: { 200: ExchangeBody },
  codes: ['code_invalid'],
};

const READ: RoutePromise = {
  cors: true,
  auth: 'bearer',
  query: [],
  request: null,
  answers: { 200: ProfileBody },
  codes: TOKEN_CODES,
};

const REVOKE: RoutePromise = { ...READ, answers: { 204: 'nothing' } };

/** What consumers ask for from the browsers of their users. */
export const meRoutes: FastifyPluginAsync<RouteContext> = async (app, context) => {
  // Forms are no JSON: what a page can send without a preflight is not taken.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    parseJson(String(body), done);
  });
  app.post(
    TOKEN,
    { bodyLimit: BODY_LIMIT_BYTES, config: { unreadable: 'code_invalid', promise: EXCHANGE } },
    (request, reply) => answerExchange(context, request, reply),
  );
  app.get(PROFILE, { config: { promise: READ } }, (request, reply) => answerRead(context, request, reply));
  app.delete(TOKEN, { bodyLimit: BODY_LIMIT_BYTES, config: { promise: REVOKE } }, (request, reply) =>
    answerRevoke(context, request, reply),
  );
};

async function answerExchange(
  { parts, consumers, nameSubject, note }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const consumer = consumerIdOf(callerOf(request, consumers));
  const issued = await exchangeCode(parts.pool, codeIn(request.body), consumer);
  if (issued === null) {
    note('code refused');
    throw new TasteError('code_invalid');
  }
  note('code exchanged', { consumer: issued.consumer });
  return reply.send({
    token: issued.token,
    expires_at: issued.expiresAt.toISOString(),
    scopes: [...SCOPES],
    sub: nameSubject(issued),
  });
}

async function answerRead(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const found = await readProfile(context.parts.pool, bearerOf(context, request));
  const profile = requireHeld(context, found, reply);
  context.note('profile read');
  return reply.send(profileBody(profile));
}

async function answerRevoke(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const found = await revokeToken(context.parts.pool, bearerOf(context, request));
  const { consumer } = requireHeld(context, found, reply);
  context.note('token revoked', { consumer });
  return reply.code(204).send();
}

/** The token in the header; where there is none, a text that is no token, so that it is looked up like any other. */
const bearerOf = ({ consumers }: RouteContext, request: FastifyRequest): Bearer => ({
  digest: digestOf(BEARER.exec(request.headers.authorization ?? '')?.groups?.token ?? ''),
  consumer: consumerIdOf(callerOf(request, consumers)),
});

const isRefused = (found: object): found is RefusedToken => 'refusal' in found;

/** @throws where the token did not hold */
function requireHeld<T extends object>(
  { note }: RouteContext,
  found: T | RefusedToken,
  reply: FastifyReply,
): T {
  if (!isRefused(found)) return found;
  note('token refused');
  if (found.isOthers) hideFromPage(reply);
  throw new TasteError(found.refusal);
}

/** No body at all is one that says nothing, as some clients send with DELETE. */
function parseJson(text: string, done: (error: Error | null, body?: unknown) => void): void {
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    done(new TasteError('malformed_request', {}, error as Error));
    return;
  }
  done(null, body);
}

/** The code in a body; where there is none, a text that is no code, so that it is looked up like any other. */
function codeIn(body: unknown): string {
  const { code } = Object(body) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Sources that an operator uploads are not connected by users, and so are none of anybody's here. */
function profileBody({ services, clusters }: ReadProfile): Profile {
  const connected = {
    scrobbler: services.includes('scrobbler'),
    catalog: services.includes('catalog'),
    upload: false,
  };
  return {
    connected_sources: connected,
    connected_source_count: Object.values(connected).filter(Boolean).length,
    resolved_cluster_ids: [...clusters],
  };
}
