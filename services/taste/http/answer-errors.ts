import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { answerBare, onClientError } from '../../http/bare-answer.ts';
import { escapeHtml } from '../../http/escape-html.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { Consumers } from '../contract/registry.ts';
import { errorBody, errorHeaders, TasteError, type TasteErrorCode, toTasteError } from './errors.ts';
import { callerOf, isMe, meHeaders } from './me-headers.ts';
import { type Page, sendPage } from './page.ts';
import { plainCause } from './plain-cause.ts';
import { pathOf } from './plain-target.ts';
import { BASE_HEADERS } from './request-basics.ts';

/** What people are told where the service cannot show the page they came for. */
const TEXTS: Partial<Record<TasteErrorCode, string>> = {
  not_found: 'There is no page here.',
  method_not_allowed: 'This page cannot be asked for in this way.',
  malformed_request: 'The request could not be read. Start again from the app that sent you here.',
  payload_too_large: 'That is too much to send. Start again from the app that sent you here.',
  unsupported_media_type: 'The form could not be read. Start again from the app that sent you here.',
  rate_limited:
    'Nothing was recorded: there were too many requests from your network. Wait a minute and try again.',
  unavailable: 'Nothing was recorded: the service is busy or being repaired. Try again in a moment.',
};

const isPage = (path: string): boolean => path === '/connect' || path.startsWith('/connect/');

function errorPage(code: TasteErrorCode): Page {
  const text = TEXTS[code] ?? 'Something went wrong. Nothing was recorded.';
  return { title: 'This did not work', main: `<h1>This did not work</h1>\n<p>${escapeHtml(text)}</p>` };
}

/** Answers every error in the form that the path is read in: pages to people, a code to programs. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler<Error>((thrown, request, reply) => {
    const error = namedByRoute(toTasteError(thrown), request);
    if (error.status >= 500) logFailure(log, error, request);
    return sendError(reply, request, error);
  });
  app.server.on('connect', (_request, socket) =>
    refuse(socket, new TasteError('method_not_allowed', TUNNEL)),
  );
}

/** A body that somebody failed to read may have a name of its own on its route. */
function namedByRoute(error: TasteError, { routeOptions }: FastifyRequest): TasteError {
  const { unreadable } = routeOptions.config;
  return error.code === 'malformed_request' && error.cause !== undefined && unreadable !== undefined
    ? new TasteError(unreadable, {}, error)
    : error;
}

function sendError(reply: FastifyReply, request: FastifyRequest, error: TasteError): FastifyReply {
  reply.headers(errorHeaders(error));
  if (isPage(pathOf(request.url))) return sendPage(reply, error.status, errorPage(error.code));
  return reply
    .code(error.status)
    .type(JSON_TYPE)
    .header('cache-control', 'no-store')
    .send(JSON.stringify(errorBody(error.code)));
}

/** Neither the query nor the headers nor the body are logged. */
function logFailure(log: Logger, error: TasteError, request: FastifyRequest): void {
  const line = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    error: error.code,
    cause: plainCause(error.cause instanceof Error ? error.cause : error),
  };
  if (error.status === 500) log.error(line, 'a request failed unexpectedly');
  else log.warn(line, 'a request could not be answered');
}

/** Answers a path that cannot be decoded, of which no hook gets to see anything. */
export function sendUndecodablePath(
  request: FastifyRequest,
  reply: FastifyReply,
  consumers: Consumers,
): void {
  const url = request.raw.url ?? '';
  reply.headers(BASE_HEADERS).header('x-request-id', request.id);
  if (isMe(pathOf(url))) reply.headers(meHeaders(callerOf(request, consumers)));
  sendError(reply, request, new TasteError('malformed_request'));
}

/** Answers what is no HTTP request. */
export const answerClientError = (error: Error & { code?: string }, socket: Duplex): void =>
  onClientError(error, socket, (fault) => refuse(socket, new TasteError(fault)));

/** What can be asked of a host as a whole, as a tunnel is. */
const TUNNEL = { allow: 'GET, HEAD, POST, DELETE, OPTIONS' };

function refuse(socket: Duplex, error: TasteError): void {
  answerBare(socket, {
    status: error.status,
    headers: {
      ...BASE_HEADERS,
      ...errorHeaders(error),
      'x-request-id': requestIdOf({ headers: {} }),
      // Whose answer it would have been cannot be told.
      ...meHeaders({ kind: 'none' }),
      'content-type': JSON_TYPE,
    },
    body: JSON.stringify(errorBody(error.code)),
  });
}
