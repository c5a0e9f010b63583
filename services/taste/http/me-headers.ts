import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Consumer } from '../contract/contract.ts';
import type { Consumers } from '../contract/registry.ts';

const ME = '/api/v1/me';
const ALLOW_ORIGIN = 'access-control-allow-origin';
const PREFLIGHT_SECONDS = '600';

/** Whether a path belongs to the routes that browsers request for consumers. */
export const isMe = (path: string): boolean => path === ME || path.startsWith(`${ME}/`);

/** The caller, identified by the requesting page. */
export type Caller =
  /** Not a page. */
  | { readonly kind: 'none' }
  | { readonly kind: 'consumer'; readonly consumer: Consumer }
  /** A page of an unregistered origin. */
  | { readonly kind: 'unregistered' };

export function callerOf({ headers }: Pick<FastifyRequest, 'headers'>, consumers: Consumers): Caller {
  const { origin } = headers;
  if (origin === undefined) return { kind: 'none' };
  const consumer = consumers.byOrigin(origin);
  return consumer === null ? { kind: 'unregistered' } : { kind: 'consumer', consumer };
}

/**
 * The id of the consumer whose codes and tokens the caller may use; null for any. An unregistered caller gets an empty id,
 * which no consumer has.
 */
export const consumerIdOf = (caller: Caller): string | null =>
  caller.kind === 'consumer' ? caller.consumer.id : caller.kind === 'unregistered' ? '' : null;

/** Headers of every response on routes that browsers request for consumers. Credentials are never allowed. */
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

/** Additional headers of a preflight; none for unknown origins, whose browsers then stop. */
export const preflightHeaders = (caller: Caller, methods: string): Record<string, string> =>
  caller.kind === 'consumer'
    ? {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': 'Authorization, Content-Type',
        'access-control-max-age': PREFLIGHT_SECONDS,
      }
    : {};

/** Hides the response from the page, because its token belongs to another consumer. */
export const removeAllowOrigin = (reply: FastifyReply): FastifyReply => reply.removeHeader(ALLOW_ORIGIN);
