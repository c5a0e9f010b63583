import { AT_LEAST, FRESHNESS, WAIT } from '../serving/consistency-headers.ts';

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
  'X-Dictionary-Source-Sha',
  'X-Dictionary-Vendored-At',
  FRESHNESS,
].join(', ');

const ALLOWED = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'If-None-Match',
  'X-Request-Id',
  AT_LEAST,
  WAIT,
].join(', ');

/** On every answer, errors included: a browser hides what is not exposed. Keys are not cookies, so any origin may ask. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};

/** What a preflight adds to them. */
export const preflightHeaders = (methods: string): Readonly<Record<string, string>> => ({
  'access-control-allow-methods': methods,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': '86400',
});
