import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ApiError } from '../../http/errors.ts';

export interface V1Request {
  readonly method: string;
  /** With its query, exactly as the client sent it. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | null;
}

class DeadlineError extends Error {}

/**
 * Sends a request to the upstream, and resolves with its response once the head is there. Redirects are not followed.
 * After `deadlineMs`, or when `signal` aborts, the response ends in the middle.
 *
 * @throws ApiError `upstream_unavailable`, `deadline_exceeded`
 */
export function requestUpstream(
  upstreamUrl: string,
  { method, path, headers, body }: V1Request,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const { protocol, hostname, port, pathname } = new URL(upstreamUrl);
  const send = protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send({
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port === '' ? {} : { port }),
      // Verbatim: parsing and formatting it could change it.
      path: pathname.replace(/\/$/, '') + path,
      method,
      headers: { ...headers, ...(body === null ? {} : { 'content-length': body.length }) },
      agent: false,
      signal,
    });
    const timer = setTimeout(() => request.destroy(new DeadlineError()), deadlineMs);
    request.once('close', () => clearTimeout(timer));
    request.once('response', resolve);
    request.on('error', (error) =>
      reject(
        new ApiError(
          error instanceof DeadlineError ? 'deadline_exceeded' : 'upstream_unavailable',
          error instanceof DeadlineError
            ? { message: `The service of version 1 did not respond within ${deadlineMs / 1_000} seconds.` }
            : {},
          error,
        ),
      ),
    );
    request.end(body);
  });
}
