import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { onClientError, respondBare } from '../../http/bare-response.ts';
import { errorHeaders, type HttpError } from '../../http/errors.ts';
import { escapeHtml } from '../../http/escape-html.ts';
import { failureLog } from '../../http/failure-log.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { SECURITY_HEADERS } from '../../http/plugins/response-head.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { Consumers } from '../contract/registry.ts';
import { TasteError, type TasteErrorCode, tasteErrorBody, toTasteError } from './errors.ts';
import { callerOf, isMe, meHeaders } from './me-headers.ts';
import { type HtmlPage, sendPage } from './page.ts';
import { pathOf } from './plain-target.ts';

/** Texts of error pages, by code. */
const TEXTS: Partial<Record<TasteErrorCode, string>> = {
  not_found: 'This page does not exist.',
  method_not_allowed: 'This page does not support this kind of request.',
  malformed_request: 'The request could not be read. Start again from the app that sent you here.',
  payload_too_large: 'The form is too large. Start again from the app that sent you here.',
  unsupported_media_type: 'The form could not be read. Start again from the app that sent you here.',
  rate_limited:
    'Nothing was recorded: there were too many requests from your network. Wait a minute and try again.',
  unavailable: 'Nothing was recorded: the service is busy or being repaired. Try again in a moment.',
};

const isPage = (path: string): boolean => path === '/connect' || path.startsWith('/connect/');

function errorPage(code: TasteErrorCode): HtmlPage {
  const text = TEXTS[code] ?? 'Something went wrong. Nothing was recorded.';
  return { title: 'This did not work', main: `<h1>This did not work</h1>\n<p>${escapeHtml(text)}</p>` };
}

/** Sends errors as pages to people and as codes to programs, by the path. */
export function handleErrors(app: FastifyInstance, log: Logger): void {
  const logFailed = failureLog(log, causeOf);
  app.setErrorHandler<Error>((thrown, request, reply) => {
    const error = namedByRoute(toTasteError(thrown), request);
    logFailed(error, request);
    return sendError(reply, request, error);
  });
  app.server.on('connect', (_request, socket) =>
    reject(socket, new TasteError('method_not_allowed', TUNNEL)),
  );
}

/** A route may have its own code for an unreadable body. */
function namedByRoute(error: TasteError, { routeOptions }: FastifyRequest): TasteError {
  const { unreadable } = routeOptions.config;
  return error.code === 'malformed_request' && error.cause !== undefined && unreadable !== undefined
    ? new TasteError(unreadable, {}, error)
    : error;
}

function sendError(reply: FastifyReply, request: FastifyRequest, error: TasteError): FastifyReply {
  reply.headers(errorHeaders(error));
  if (isPage(pathOf(request.url))) return sendPage(reply, errorPage(error.code), error.status);
  return reply
    .code(error.status)
    .type(JSON_TYPE)
    .send(JSON.stringify(tasteErrorBody(error.code)));
}

/** A cause may quote the user's data. */
const causeOf = (error: HttpError) => ({
  cause: plainCause(error.cause instanceof Error ? error.cause : error),
});

/** SQLSTATEs of invalid data, whose messages quote it. */
const QUOTING = /^2[23]/;

/**
 * The part of an error that a log may contain: a database adds rows and values, which may hold the username of a person
 * or the digest of a secret.
 */
export function plainCause(error: Error): Readonly<Record<string, string>> {
  const { code } = error as { code?: unknown };
  const isQuoting = error instanceof DatabaseError && QUOTING.test(error.code ?? '');
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(isQuoting ? {} : { message: error.message }),
    stack: frames.join('\n'),
  };
}

/** Sends an error for a path that cannot be decoded, which no hook sees. */
export function sendUndecodablePath(
  request: FastifyRequest,
  reply: FastifyReply,
  consumers: Consumers,
): void {
  const url = request.raw.url ?? '';
  reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
  if (isMe(pathOf(url))) reply.headers(meHeaders(callerOf(request, consumers)));
  sendError(reply, request, new TasteError('malformed_request'));
}

/** Responds to bytes that are no HTTP request. */
export const rejectMalformed = (error: Error & { code?: string }, socket: Duplex): void =>
  onClientError(error, socket, (fault) => reject(socket, new TasteError(fault)));

/** The methods of a host as a whole, which a request for a tunnel addresses. */
const TUNNEL = { allow: 'GET, HEAD, POST, DELETE, OPTIONS' };

function reject(socket: Duplex, error: TasteError): void {
  respondBare(socket, {
    status: error.status,
    headers: {
      ...SECURITY_HEADERS,
      ...errorHeaders(error),
      'x-request-id': requestIdOf({ headers: {} }),
      // The route of the request is unknown.
      ...meHeaders({ kind: 'none' }),
      'content-type': JSON_TYPE,
    },
    body: JSON.stringify(tasteErrorBody(error.code)),
  });
}
