import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** The faults of bytes that are no HTTP request. */
type ParserFault = 'headers_too_large' | 'payload_too_large' | 'request_timeout' | 'malformed_request';

/** The error codes of the HTTP parser; all others mean a malformed request. */
const PARSER_FAULTS: Readonly<Record<string, ParserFault>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Calls `reject` for bytes that are no HTTP request, which the framework never sees. */
export function onClientError(
  error: Error & { code?: string },
  socket: Duplex,
  reject: (fault: ParserFault) => void,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else reject(PARSER_FAULTS[error.code ?? ''] ?? 'malformed_request');
}

/** Time for the client to read the response; then its connection is closed. */
const LINGER_MS = 1_000;

interface BareResponse {
  readonly status: number;
  /** Without those of the length and of the end of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responds on the bare connection, and ends it. */
export function respondBare(socket: Duplex, { status, headers, body }: BareResponse): void {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  // No other listener handles its errors any more.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
