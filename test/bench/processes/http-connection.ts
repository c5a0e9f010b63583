import { connect } from 'node:net';

/** A connection that carries one request at a time. */
export interface HttpConnection {
  /** Sends a request, head and all, and resolves with its answer's status and the length of its body. */
  exchange(request: string): Promise<HttpAnswer>;
  /** Whether the server has not closed it. */
  isOpen(): boolean;
  close(): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly bodyBytes: number;
  /** The body of an error; null for any other response. */
  readonly error: string | null;
}

const HEAD_END = '\r\n\r\n';
/** The end of a response whose length its head does not say. */
const LAST_CHUNK = '0\r\n\r\n';
const UNKNOWN = Number.POSITIVE_INFINITY;
const CHUNKED = /\r\ntransfer-encoding: chunked/i;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/** As little of HTTP/1.1 as a load generator needs, so that it leaves the processor to the server. */
export function openConnection(port: number): Promise<HttpConnection> {
  let waiting: PromiseWithResolvers<HttpAnswer> | null = null;
  let head: Buffer | null = null;
  let status = 0;
  let bodyBytes = 0;
  let error: Buffer[] = [];
  /** Bytes of the body still to come; negative while the head is. */
  let missing = -1;
  let isChunked = false;

  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('data', (chunk) => {
    if (missing < 0) {
      const text = head === null ? chunk : Buffer.concat([head, chunk]);
      const end = text.indexOf(HEAD_END);
      if (end < 0) {
        head = text;
        return;
      }
      head = null;
      const lines = text.toString('latin1', 0, end);
      status = Number(lines.slice(9, 12));
      isChunked = CHUNKED.test(lines);
      bodyBytes = Number(CONTENT_LENGTH.exec(lines)?.[1] ?? 0);
      missing = isChunked ? UNKNOWN : bodyBytes - (text.length - end - HEAD_END.length);
      error = status < 400 ? [] : [text.subarray(end + HEAD_END.length)];
    } else {
      missing -= chunk.length;
      if (status >= 400) error.push(chunk);
    }
    if (isChunked && chunk.subarray(-LAST_CHUNK.length).toString('latin1') === LAST_CHUNK) missing = 0;
    if (missing > 0) return;
    const answered = waiting;
    const isWhole = missing === 0;
    waiting = null;
    missing = -1;
    if (isWhole)
      answered?.resolve({
        status,
        bodyBytes,
        error: status < 400 ? null : Buffer.concat(error).toString(),
      });
    else answered?.reject(new Error('an answer was longer than it said'));
  });
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  const connected = Promise.withResolvers<HttpConnection>();
  socket.once('error', (error) => {
    connected.reject(error);
    waiting?.reject(error);
  });
  socket.once('connect', () =>
    connected.resolve({
      exchange(request) {
        waiting = Promise.withResolvers();
        socket.write(request, 'latin1');
        return waiting.promise;
      },
      isOpen: () => socket.writable && !socket.readableEnded,
      close: () => socket.destroy(),
    }),
  );
  return connected.promise;
}
