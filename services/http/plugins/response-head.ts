import { definePlugin } from '../define-plugin.ts';

/** The headers of every response. */
export interface ResponseHead {
  readonly common: Readonly<Record<string, string>>;
  /** Headers that a preflight adds for the methods of a route. */
  preflight(methods: string): Readonly<Record<string, string>>;
}

interface CorsHeaders {
  /** Response headers of the service that pages may read, besides those of the kit. */
  readonly exposed: readonly string[];
  /** Request headers of the service that pages may send, besides those of the kit. */
  readonly allowed: readonly string[];
}

const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Allow',
  'WWW-Authenticate',
  'X-Request-Id',
  'Deprecation',
  'Sunset',
  'Link',
];
const ALLOWED = ['X-API-Key', 'Authorization', 'Content-Type', 'If-None-Match', 'X-Request-Id'];

/** Headers that restrict what browsers do with a response. Pages set a content security policy of their own. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** For a year; the service knows nothing of other hosts of its domain. */
export const STRICT_TRANSPORT = 'max-age=31536000';

/** Keys are not cookies, so pages of any origin may send requests and embed responses. */
export function openResponseHead(
  { exposed, allowed }: CorsHeaders = { exposed: [], allowed: [] },
): ResponseHead {
  const allowHeaders = [...ALLOWED, ...allowed].join(', ');
  return {
    common: {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': [...EXPOSED, ...exposed].join(', '),
      ...SECURITY_HEADERS,
      'cross-origin-resource-policy': 'cross-origin',
      // Routes whose responses may be kept say so themselves.
      'cache-control': 'no-store',
    },
    preflight: (methods) => ({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': allowHeaders,
      'access-control-max-age': '86400',
    }),
  };
}

export interface ResponseHeadOptions {
  readonly head: ResponseHead;
  /** Whether a proxy reports the protocol of a request. */
  readonly trustsProxy: boolean;
}

/** Begins every response with the common headers and the id of its request. */
export const responseHead = definePlugin<ResponseHeadOptions>(
  'response-head',
  [],
  (app, { head, trustsProxy }) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(head.common).header('x-request-id', request.id);
      done();
    });
    // The service itself speaks no https.
    if (!trustsProxy) return;
    app.addHook('onRequest', (request, reply, done) => {
      if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
      done();
    });
  },
);
