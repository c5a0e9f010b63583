import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { definePlugin } from '../../http/define-plugin.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { passOverExpectations } from '../../http/request-head.ts';
import { databaseError } from '../database-errors.ts';
import { ApiError, type ErrorCode, errorBody, errorHeaders, problemBody } from '../errors.ts';
import { commonHeaders } from './answer-head.ts';
import { PROBLEM_TYPE, prefersProblem } from './prefers-problem.ts';
import { refuseTunnel } from './refuse-connection.ts';
import { type ValidationFailure, validationDetails } from './validation-details.ts';

const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_HANDLER_TIMEOUT: 'deadline_exceeded',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers errors of a route that has a form of its own for them. */
    answerError?: (reply: FastifyReply, error: ApiError) => FastifyReply;
  }
}

export interface ErrorOptions {
  readonly baseUrl: () => string;
  readonly log: Logger;
}

/** Answers every error in the one envelope, whoever threw it. */
export const errors = definePlugin<ErrorOptions>('errors', ['answer-head'], (app, { baseUrl, log }) => {
  const logFailed = failureLog(log);
  app.setErrorHandler<Error>((thrown, request, reply) => {
    const error = toApiError(thrown);
    logFailed(error, request);
    beginRefusal(reply, request);
    const { answerError } = request.routeOptions.config;
    return answerError?.(reply, error) ?? sendError(reply, request, error, baseUrl());
  });
  app.server.on('connect', (_request, socket) => refuseTunnel(socket, baseUrl()));
  passOverExpectations(app);
});

/** A request may be refused before anything was said of its answer, and after its handler said something of another. */
function beginRefusal(reply: FastifyReply, request: FastifyRequest): void {
  for (const name of ['etag', 'content-encoding', 'vary']) reply.removeHeader(name);
  reply.headers(commonHeaders).header('x-request-id', request.id);
}

function sendError(
  reply: FastifyReply,
  request: FastifyRequest,
  error: ApiError,
  baseUrl: string,
): FastifyReply {
  const envelope = errorBody(error, baseUrl, request.id);
  const isProblem = prefersProblem(request.headers.accept);
  const body = isProblem ? problemBody(envelope, error, request.id) : envelope;
  return reply
    .code(error.status)
    .headers(errorHeaders(error))
    .header('vary', 'Accept')
    .type(isProblem ? PROBLEM_TYPE : JSON_TYPE)
    .send(JSON.stringify(body));
}

function toApiError(thrown: Error & Partial<FastifyError>): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown.validation !== undefined) return invalidQuery(thrown.validation);
  const code = FRAMEWORK_CODES[thrown.code ?? ''];
  if (code !== undefined) return new ApiError(code, {}, thrown);
  // The client went away while its body was read; a database that goes away has no status.
  if (thrown.code === 'ECONNRESET' && thrown.statusCode === 400)
    return new ApiError('malformed_request', {}, thrown);
  const ofDatabase = databaseError(thrown);
  if (ofDatabase !== null) return ofDatabase;
  const isClientFault = thrown.code?.startsWith('FST_ERR_CTP') === true && (thrown.statusCode ?? 500) < 500;
  return new ApiError(isClientFault ? 'malformed_request' : 'internal_error', {}, thrown);
}

/** What a validator refused, as an error that says every parameter at fault. */
export function invalidQuery(failures: readonly ValidationFailure[]): ApiError {
  const details = validationDetails(failures);
  const [first] = details;
  return new ApiError('invalid_query', {
    details,
    ...(first === undefined || first.path === '' ? {} : { param: first.path }),
  });
}

const LOG_EVERY_MS = 1_000;

/**
 * Logs only what the service itself is to blame for, or its database. Neither headers nor the query are logged. While
 * the database is away every request fails alike: of those of one code there is one line a second, with how many more
 * there were.
 */
function failureLog(log: Logger): (error: ApiError, request: FastifyRequest) => void {
  const logged = new Map<ErrorCode, { readonly at: number; unsaid: number }>();
  return (error, request) => {
    if (error.status < 500) return;
    const last = logged.get(error.code);
    const now = performance.now();
    if (error.status !== 500 && last !== undefined && now - last.at < LOG_EVERY_MS) {
      last.unsaid++;
      return;
    }
    logged.set(error.code, { at: now, unsaid: 0 });
    logFailure(log, error, request, last?.unsaid ?? 0);
  };
}

function logFailure(log: Logger, error: ApiError, request: FastifyRequest, unsaid: number): void {
  const line = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    error: error.code,
    err: error.cause ?? error,
    ...(unsaid > 0 ? { moreSinceLastLine: unsaid } : {}),
  };
  if (error.status === 500) log.error(line, 'a request failed unexpectedly');
  else log.warn(line, 'a request could not be answered');
}

/** What a key that is none is called where the route has a code for it. */
const KEY_CODES: Readonly<Record<string, ErrorCode>> = {
  artist: 'invalid_artist_key',
  label: 'invalid_label_key',
  aura: 'invalid_locator',
};

/** Routes whose key has a code of its own. */
const KEYED_PATH = /^\/api\/v2\/(?:dossier\/)?(?<grain>artist|label|aura)\/(?<key>[^/?]*)/;

/** The fault may lie behind the key, in what is asked for under it. */
function undecodableCode(url: string): ErrorCode {
  const { grain = '', key = '' } = KEYED_PATH.exec(url)?.groups ?? {};
  try {
    decodeURIComponent(key);
    return 'malformed_request';
  } catch {
    return KEY_CODES[grain] ?? 'malformed_request';
  }
}

/** Answers a path that cannot be decoded, of which no hook gets to see anything. */
export function sendUndecodablePath(request: FastifyRequest, reply: FastifyReply, baseUrl: string): void {
  const code = undecodableCode(request.raw.url ?? '');
  beginRefusal(reply, request);
  sendError(reply, request, new ApiError(code), baseUrl);
}
