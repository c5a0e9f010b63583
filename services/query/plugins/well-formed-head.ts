import type { IncomingMessage } from 'node:http';
import { definePlugin } from '../../http/define-plugin.ts';
import { isHostless, originForm } from '../../http/request-head.ts';
import { ApiError } from '../errors.ts';

/** Each header is two entries, its name and its value. */
const MOST_ENTRIES = 2 * 100;
const SLASH = 47;

/**
 * Refuses a request whose head no client means: without the one host it is for, or of more headers than anybody needs. A
 * target that names a host as well, which only proxies are asked for, becomes the path that it stands for: what is later
 * made of the path must hold no host that a client made up.
 */
export const wellFormedHead = definePlugin('well-formed-head', ['answer-head'], (app) => {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.url?.charCodeAt(0) !== SLASH) raw.url = originForm(raw.url ?? '');
    if (raw.rawHeaders.length > MOST_ENTRIES) return done(new ApiError('headers_too_large'));
    done(namesOneHost(raw) ? undefined : new ApiError('malformed_request'));
  });
});

/** Of a name or an address, with a port perhaps. */
const HOST = /^[\w.~!$&'()*+,;=%[\]:-]*$/;

/** Whether a request names one host, as RFC 9112, 3.2 demands of all but the version that did not know the header. */
function namesOneHost(request: IncomingMessage): boolean {
  const { headers, rawHeaders } = request;
  if (headers.host === undefined) return !isHostless(request);
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts++;
  return hosts === 1 && HOST.test(headers.host);
}

const isHost = (name = ''): boolean => name.length === 4 && name.toLowerCase() === 'host';
