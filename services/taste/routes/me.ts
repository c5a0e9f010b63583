import { type Static, Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { TasteError } from '../http/errors.ts';
import { callerOf, consumerIdOf, removeAllowOrigin } from '../http/me-headers.ts';
import type { RouteDeclaration } from '../http/route-declaration.ts';
import { exchangeCode, SCOPES } from '../profile/exchange-code.ts';
import { type ProfileRow, readProfile } from '../profile/read-profile.ts';
import { digestOf } from '../profile/secrets.ts';
import { type Bearer, revokeToken, type TokenRejection } from '../profile/token-state.ts';
import type { RouteContext } from './route-context.ts';

const TOKEN = '/api/v1/me/token';
const PROFILE = '/api/v1/me/profile';
const BEARER = /^Bearer +(?<token>\S+) *$/i;
export const BODY_LIMIT_BYTES = 4_096;
const TOKEN_CODES = ['token_invalid', 'token_expired', 'token_revoked'] as const;

const closed = { additionalProperties: false };

const ExchangeRequest = Type.Object({ code: Type.String() });

export const ExchangeBody = Type.Object(
  {
    token: Type.String(),
    expires_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    scopes: Type.Array(Type.String()),
    sub: Type.String(),
  },
  closed,
);

export const ProfileBody = Type.Object(
  {
    connected_sources: Type.Object(
      { scrobbler: Type.Boolean(), catalog: Type.Boolean(), upload: Type.Boolean() },
      closed,
    ),
    connected_source_count: Type.Integer(),
    resolved_cluster_ids: Type.Array(Type.String()),
  },
  closed,
);
type Profile = Static<typeof ProfileBody>;

const EXCHANGE: RouteDeclaration = {
  cors: true,
  auth: 'code',
  query: [],
  request: ExchangeRequest,
  responses: { 200: ExchangeBody },
  codes: ['code_invalid'],
};

const READ: RouteDeclaration = {
  cors: true,
  auth: 'bearer',
  query: [],
  request: null,
  responses: { 200: ProfileBody },
  codes: TOKEN_CODES,
};

const REVOKE: RouteDeclaration = { ...READ, responses: { 204: 'nothing' } };

/** The routes that consumers request from their users' browsers. */
export const meRoutes: FastifyPluginAsync<RouteContext> = async (app, context) => {
  // Only JSON: content types that a page can send without a preflight are rejected.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    parseJson(String(body), done);
  });
  app.post(
    TOKEN,
    { bodyLimit: BODY_LIMIT_BYTES, config: { unreadable: 'code_invalid', declaration: EXCHANGE } },
    (request, reply) => handleExchange(context, request, reply),
  );
  app.get(PROFILE, { config: { declaration: READ } }, (request, reply) =>
    handleRead(context, request, reply),
  );
  app.delete(TOKEN, { bodyLimit: BODY_LIMIT_BYTES, config: { declaration: REVOKE } }, (request, reply) =>
    handleRevoke(context, request, reply),
  );
};

async function handleExchange(
  { parts, consumers, nameSubject, recordEvent }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const consumer = consumerIdOf(callerOf(request, consumers));
  const issued = await exchangeCode(parts.pool, codeIn(request.body), consumer);
  if (issued === null) {
    recordEvent('code refused');
    throw new TasteError('code_invalid');
  }
  recordEvent('code exchanged', { consumer: issued.consumer });
  return reply.send({
    token: issued.token,
    expires_at: issued.expiresAt.toISOString(),
    scopes: [...SCOPES],
    sub: nameSubject(issued),
  });
}

async function handleRead(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const found = await readProfile(context.parts.pool, bearerOf(context, request));
  const profile = requireActive(context, found, reply);
  context.recordEvent('profile read');
  return reply.send(profileBody(profile));
}

async function handleRevoke(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const found = await revokeToken(context.parts.pool, bearerOf(context, request));
  const { consumer } = requireActive(context, found, reply);
  context.recordEvent('token revoked', { consumer });
  return reply.code(204).send();
}

/** The token in the header. Without one, an empty text, which is looked up like any token. */
const bearerOf = ({ consumers }: RouteContext, request: FastifyRequest): Bearer => ({
  digest: digestOf(BEARER.exec(request.headers.authorization ?? '')?.groups?.token ?? ''),
  consumer: consumerIdOf(callerOf(request, consumers)),
});

const isRejection = (found: object): found is TokenRejection => 'code' in found;

/** @throws TasteError if the token was rejected */
function requireActive<T extends object>(
  { recordEvent }: RouteContext,
  found: T | TokenRejection,
  reply: FastifyReply,
): T {
  if (!isRejection(found)) return found;
  recordEvent('token refused');
  if (found.belongsToOtherConsumer) removeAllowOrigin(reply);
  throw new TasteError(found.code);
}

/** An empty body is allowed, because some clients send one with DELETE. */
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

/** The code in a body. Without one, an empty text, which is looked up like any code. */
function codeIn(body: unknown): string {
  const { code } = Object(body) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Users do not connect uploaded sources, so `upload` is always false. */
function profileBody({ services, clusters }: ProfileRow): Profile {
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
