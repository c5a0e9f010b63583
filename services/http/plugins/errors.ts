import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { weightOf } from '../accept-encoding.ts';
import { databaseError } from '../database-errors.ts';
import { definePlugin } from '../define-plugin.ts';
import { ApiError, type ErrorCode, errorBody, errorHeaders, problemBody } from '../errors.ts';
import { failureLog } from '../failure-log.ts';
import { JSON_TYPE } from '../json-type.ts';
import { passOverExpectations } from '../request-head.ts';
import { rejectTunnel } from './reject-connection.ts';
import type { ResponseHead } from './response-head.ts';
import { type ValidationFailure, validationDetails } from './validation-details.ts';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

const PROBLEM = 'application/problem+json';
/** The media ranges that include JSON, the narrowest first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sends the errors of a route in its own format. */
    sendError?: (reply: FastifyReply, error: ApiError) => FastifyReply;
    /** The errors of the route itself. Those of keys, limits, bodies and the query's schema follow from its other settings. */
    errors?: readonly ErrorCode[];
  }
}

interface ErrorOptions {
  readonly head: ResponseHead;
  readonly baseUrl: () => string;
  readonly log: Logger;
}

/** Sends all errors in one envelope. */
export const errors = definePlugin<ErrorOptions>('errors', ['response-head'], (app, options) => {
  const { head, baseUrl, log } = options;
  const logFailed = failureLog(log, (error) => ({ err: error.cause ?? error }));
  app.setErrorHandler<Error>((thrown, request, reply) => {
    const error = withElapsed(toApiError(thrown), reply.elapsedTime);
    logFailed(error, request);
    resetHead(reply, request, head);
    const { sendError: sendInOwnFormat } = request.routeOptions.config;
    return sendInOwnFormat?.(reply, error) ?? sendError(reply, error, baseUrl());
  });
  app.server.on('connect', (_request, socket) => rejectTunnel(socket, { head, baseUrl: baseUrl() }));
  passOverExpectations(app);
});

/** An error may come before the common headers are set, or after a handler has set those of another response. */
function resetHead(reply: FastifyReply, request: FastifyRequest, head: ResponseHead): void {
  for (const name of ['etag', 'content-encoding', 'vary']) reply.removeHeader(name);
  reply.headers(head.common).header('x-request-id', request.id);
}

function sendError(reply: FastifyReply, error: ApiError, baseUrl: string): FastifyReply {
  const { request } = reply;
  const envelope = errorBody(error, baseUrl, request.id);
  const isProblem = prefersToJson(PROBLEM, request.headers.accept);
  const body = isProblem ? problemBody(envelope, error, request.id) : envelope;
  return reply
    .code(error.status)
    .headers(errorHeaders(error))
    .header('vary', 'Accept')
    .type(isProblem ? PROBLEM_TYPE : JSON_TYPE)
    .send(JSON.stringify(body));
}

/**
 * Whether a client prefers a media type to the JSON of all other responses.
 *
 * @param type in lower case
 */
export function prefersToJson(type: string, accept: string | undefined): boolean {
  // The exact name is required: any range that includes it also includes JSON.
  if (!accept?.toLowerCase().includes(type)) return false;
  const weights = new Map<string, number>();
  for (const element of accept.split(',')) {
    const [range = '', ...parameters] = element.split(';');
    weights.set(range.trim().toLowerCase(), weightOf(parameters));
  }
  const range = JSON_RANGES.find((name) => weights.has(name));
  return (weights.get(type) ?? 0) > (range === undefined ? 0 : (weights.get(range) ?? 0));
}

function toApiError(thrown: Error & Partial<FastifyError>): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown.validation !== undefined) return invalidQuery(thrown.validation);
  if (thrown.code === 'FST_ERR_HANDLER_TIMEOUT')
    return new ApiError(
      'deadline_exceeded',
      { message: 'The work of the route reached its time limit.' },
      thrown,
    );
  const code = FRAMEWORK_CODES[thrown.code ?? ''];
  if (code !== undefined) return new ApiError(code, {}, thrown);
  // The client disconnected while its body was read; errors of the database have no status.
  if (thrown.code === 'ECONNRESET' && thrown.statusCode === 400)
    return new ApiError('malformed_request', {}, thrown);
  const ofDatabase = databaseError(thrown);
  if (ofDatabase !== null) return ofDatabase;
  const isClientFault = thrown.code?.startsWith('FST_ERR_CTP') === true && (thrown.statusCode ?? 500) < 500;
  return new ApiError(isClientFault ? 'malformed_request' : 'internal_error', {}, thrown);
}

/** Adds to the limit that a request reached how long after its arrival that was. */
function withElapsed(error: ApiError, elapsedMs: number): ApiError {
  const { code, context, cause } = error;
  if (code !== 'deadline_exceeded') return error;
  const elapsed = `${(elapsedMs / 1_000).toFixed(1)} seconds after the request arrived`;
  const message = error.message.replace(/\.$/, `, ${elapsed}.`);
  return new ApiError(code, { ...context, message }, cause);
}

/** The failures of a validator as an error that names every invalid parameter. */
export function invalidQuery(failures: readonly ValidationFailure[]): ApiError {
  const details = validationDetails(failures);
  const [first] = details;
  return new ApiError('invalid_query', {
    details,
    ...(first === undefined || first.path === '' ? {} : { param: first.path }),
  });
}

/** Sends an error for a path that cannot be decoded, which no hook sees. */
export function sendUndecodablePath(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    head,
    baseUrl,
    code,
  }: { readonly head: ResponseHead; readonly baseUrl: string; readonly code: ErrorCode },
): void {
  resetHead(reply, request, head);
  sendError(reply, new ApiError(code), baseUrl);
}
