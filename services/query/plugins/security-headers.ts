/**
 * What keeps browsers from making more of an answer than it is. Pages have a content security policy of their own; any
 * origin may ask for answers, so that any page may embed them too.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
};

/** For a year; of other hosts of the same domain the service knows nothing. */
export const STRICT_TRANSPORT = 'max-age=31536000';
