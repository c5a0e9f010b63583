import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { throttle } from '../../infra/runtime/throttle.ts';
import type { HttpError } from './errors.ts';

const LOG_EVERY_MS = 1_000;

/**
 * Logs failures of the service and of its database, without headers, query or body. During an outage every request fails
 * in the same way, so each code other than 500 gets one line a second, with the number of skipped lines.
 *
 * @param causeOf what a line holds of the cause
 */
export function failureLog(
  log: Logger,
  causeOf: (error: HttpError) => Readonly<Record<string, unknown>>,
): (error: HttpError, request: FastifyRequest) => void {
  const throttles = new Map<string, ReturnType<typeof throttle>>();

  function write(error: HttpError, request: FastifyRequest, skipped: number): void {
    const line = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      error: error.code,
      ...causeOf(error),
      ...(skipped > 0 ? { moreSinceLastLine: skipped } : {}),
    };
    if (error.status === 500) log.error(line, 'a request failed unexpectedly');
    else log.warn(line, 'a request failed');
  }

  return (error, request) => {
    if (error.status < 500) return;
    if (error.status === 500) return write(error, request, 0);
    const throttled = throttles.get(error.code) ?? throttle(LOG_EVERY_MS);
    throttles.set(error.code, throttled);
    throttled((skipped) => write(error, request, skipped));
  };
}
