import type { Duplex } from 'node:stream';
import { answerBare, onClientError } from '../../http/bare-answer.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { ApiError, errorBody, errorHeaders } from '../errors.ts';
import { commonHeaders } from './answer-head.ts';

/** Answers what is no HTTP request. */
export const answerClientError = (error: Error & { code?: string }, socket: Duplex, baseUrl: string): void =>
  onClientError(error, socket, (fault) => refuse(socket, new ApiError(fault), baseUrl));

/** What can be asked of a host as a whole, as a tunnel is. */
const ALLOW = 'GET, HEAD, POST, OPTIONS';

/** Answers who asks for a tunnel through this service, which would otherwise be cut off without a word. */
export function refuseTunnel(socket: Duplex, baseUrl: string): void {
  refuse(socket, new ApiError('method_not_allowed', { allow: ALLOW }), baseUrl);
}

function refuse(socket: Duplex, error: ApiError, baseUrl: string): void {
  const id = requestIdOf({ headers: {} });
  answerBare(socket, {
    status: error.status,
    headers: { ...commonHeaders, ...errorHeaders(error), 'x-request-id': id, 'content-type': JSON_TYPE },
    body: JSON.stringify(errorBody(error, baseUrl, id)),
  });
}
