import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What is wrong with what is no HTTP request. */
type ParserFault = 'headers_too_large' | 'payload_too_large' | 'request_timeout' | 'malformed_request';

/** What the parser of HTTP calls what it refuses; all else is malformed. */
const PARSER_FAULTS: Readonly<Record<string, ParserFault>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Has refused what is no HTTP request, of which the framework gets to see nothing. */
export function onClientError(
  error: Error & { code?: string },
  socket: Duplex,
  refuse: (fault: ParserFault) => void,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(PARSER_FAULTS[error.code ?? ''] ?? 'malformed_request');
}

/** Time to read an answer, after which a connection is closed that its client leaves open. */
const LINGER_MS = 1_000;

interface BareAnswer {
  readonly status: number;
  /** But for those of the length and the end of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers on the bare connection, and ends it. */
export function answerBare(socket: Duplex, { status, headers, body }: BareAnswer): void {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  // Nobody else hears of its errors any more.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
