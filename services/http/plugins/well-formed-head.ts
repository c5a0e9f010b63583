import type { IncomingMessage } from 'node:http';
import { definePlugin } from '../define-plugin.ts';
import { ApiError } from '../errors.ts';
import { isHostless, originForm } from '../request-head.ts';

/** Each header is two entries, its name and its value. */
const MOST_ENTRIES = 2 * 100;
const SLASH = 47;

/**
 * Rejects a request that does not name exactly one host, or has too many headers. An absolute target, as sent to proxies,
 * becomes its path, so that no URL built from the path has a host that the client chose.
 */
export const wellFormedHead = definePlugin('well-formed-head', ['response-head'], (app) => {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.url?.charCodeAt(0) !== SLASH) raw.url = originForm(raw.url ?? '');
    if (raw.rawHeaders.length > MOST_ENTRIES) return done(new ApiError('headers_too_large'));
    done(namesOneHost(raw) ? undefined : new ApiError('malformed_request'));
  });
});

/** A name or an address, with an optional port. */
const HOST = /^[\w.~!$&'()*+,;=%[\]:-]*$/;

/** Whether a request names one host, as RFC 9112, 3.2 requires of every version that has the header. */
function namesOneHost(request: IncomingMessage): boolean {
  const { headers, rawHeaders } = request;
  if (headers.host === undefined) return !isHostless(request);
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts++;
  return hosts === 1 && HOST.test(headers.host);
}

const isHost = (name = ''): boolean => name.length === 4 && name.toLowerCase() === 'host';
