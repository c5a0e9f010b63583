import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ApiError } from '../../errors.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** With its query, as the client wrote it. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | null;
}

/** What ends a request to the upstream whose time is up. */
class OutOfTime extends Error {}

/**
 * Asks the upstream, and answers its answer once its head is there. Redirects are answers like others. The whole of it
 * has `deadlineMs`; when they are over, or `signal` says that nobody waits any more, the answer ends in the middle.
 *
 * @throws ApiError `upstream_unavailable`, `deadline_exceeded`
 */
export function askUpstream(
  upstreamUrl: string,
  { method, path, headers, body }: UpstreamRequest,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const { protocol, hostname, port, pathname } = new URL(upstreamUrl);
  const send = protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send({
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port === '' ? {} : { port }),
      // As it was written: taken apart and put together again it could become another one.
      path: pathname.replace(/\/$/, '') + path,
      method,
      headers: { ...headers, ...(body === null ? {} : { 'content-length': body.length }) },
      agent: false,
      signal,
    });
    const timer = setTimeout(() => request.destroy(new OutOfTime()), deadlineMs);
    request.once('close', () => clearTimeout(timer));
    request.once('response', resolve);
    request.on('error', (error) =>
      reject(
        new ApiError(error instanceof OutOfTime ? 'deadline_exceeded' : 'upstream_unavailable', {}, error),
      ),
    );
    request.end(body);
  });
}
