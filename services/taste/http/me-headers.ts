import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Consumer } from '../contract/contract.ts';
import type { Consumers } from '../contract/registry.ts';

const ME = '/api/v1/me';
const ALLOW_ORIGIN = 'access-control-allow-origin';
const PREFLIGHT_SECONDS = '600';

/** Whether a path is of the routes that browsers ask for consumers, or would be. */
export const isMe = (path: string): boolean => path === ME || path.startsWith(`${ME}/`);

/** Who asks, told by the page that does. */
export type Caller =
  /** No page does. */
  | { readonly kind: 'none' }
  | { readonly kind: 'consumer'; readonly consumer: Consumer }
  /** A page of nobody who is registered. */
  | { readonly kind: 'stranger' };

export function callerOf({ headers }: Pick<FastifyRequest, 'headers'>, consumers: Consumers): Caller {
  const { origin } = headers;
  if (origin === undefined) return { kind: 'none' };
  const consumer = consumers.byOrigin(origin);
  return consumer === null ? { kind: 'stranger' } : { kind: 'consumer', consumer };
}

/**
 * The id that a code or token has to be of for the caller to use it; null where any will do. An id is never empty, so
 * that nothing is a stranger's.
 */
export const consumerIdOf = (caller: Caller): string | null =>
  caller.kind === 'consumer' ? caller.consumer.id : caller.kind === 'stranger' ? '' : null;

/** On every answer of the routes that browsers ask for consumers. Credentials are never allowed, so no header says so. */
export function meHeaders(caller: Caller): Record<string, string> {
  return {
    'cache-control': 'no-store',
    vary: 'Origin',
    ...(caller.kind === 'consumer'
      ? {
          [ALLOW_ORIGIN]: caller.consumer.origin,
          'access-control-expose-headers': 'Retry-After, X-Request-Id',
        }
      : {}),
  };
}

/** What a preflight adds to them; nothing for strangers, whose browsers then go no further. */
export const preflightHeaders = (caller: Caller, methods: string): Record<string, string> =>
  caller.kind === 'consumer'
    ? {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': 'Authorization, Content-Type',
        'access-control-max-age': PREFLIGHT_SECONDS,
      }
    : {};

/** Takes back from the page what it was allowed: the token it used is another consumer's. */
export const hideFromPage = (reply: FastifyReply): FastifyReply => reply.removeHeader(ALLOW_ORIGIN);
