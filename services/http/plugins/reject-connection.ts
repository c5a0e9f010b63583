import type { Duplex } from 'node:stream';
import { onClientError, respondBare } from '../bare-response.ts';
import { ApiError, errorBody, errorHeaders } from '../errors.ts';
import { JSON_TYPE } from '../json-type.ts';
import { requestIdOf } from '../request-id.ts';
import type { ResponseHead } from './response-head.ts';

interface RejectedConnection {
  readonly head: ResponseHead;
  readonly baseUrl: string;
}

/** Responds to bytes that are no HTTP request. */
export const rejectMalformed = (
  error: Error & { code?: string },
  socket: Duplex,
  connection: RejectedConnection,
): void => onClientError(error, socket, (fault) => reject(socket, new ApiError(fault), connection));

/** The methods of a host as a whole, which a request for a tunnel addresses. */
const ALLOW = 'GET, HEAD, POST, OPTIONS';

/** Rejects a request for a tunnel. Node would close its connection without a response. */
export function rejectTunnel(socket: Duplex, connection: RejectedConnection): void {
  reject(socket, new ApiError('method_not_allowed', { allow: ALLOW }), connection);
}

function reject(socket: Duplex, error: ApiError, { head, baseUrl }: RejectedConnection): void {
  const id = requestIdOf({ headers: {} });
  respondBare(socket, {
    status: error.status,
    headers: { ...head.common, ...errorHeaders(error), 'x-request-id': id, 'content-type': JSON_TYPE },
    body: JSON.stringify(errorBody(error, baseUrl, id)),
  });
}
