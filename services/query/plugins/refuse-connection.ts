import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdOf } from '../../http/request-id.ts';
import { ApiError, type ErrorCode, errorBody, errorHeaders } from '../errors.ts';
import { commonHeaders } from './answer-head.ts';
import { JSON_TYPE } from './prefers-problem.ts';

/** What the parser of HTTP calls what it refuses; all else is malformed. */
const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what is no HTTP request, of which the framework gets to see nothing. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex, baseUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket, new ApiError(PARSER_CODES[error.code ?? ''] ?? 'malformed_request'), baseUrl);
}

/** What can be asked of a host as a whole, as a tunnel is. */
const ALLOW = 'GET, HEAD, POST, OPTIONS';

/** Answers who asks for a tunnel through this service, which would otherwise be cut off without a word. */
export function refuseTunnel(socket: Duplex, baseUrl: string): void {
  refuse(socket, new ApiError('method_not_allowed', { allow: ALLOW }), baseUrl);
}

/** Time to read a refusal, after which a connection is closed that its client leaves open. */
const LINGER_MS = 1_000;

/** Answers on the bare connection, and ends it. */
function refuse(socket: Duplex, error: ApiError, baseUrl: string): void {
  const id = requestIdOf({ headers: {} });
  const body = JSON.stringify(errorBody(error, baseUrl, id));
  const headers = {
    ...commonHeaders,
    ...errorHeaders(error),
    'x-request-id': id,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Nobody else hears of its errors any more.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
