import type { IncomingMessage } from 'node:http';
import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../errors.ts';

/** Each header is two entries, its name and its value. */
const MOST_ENTRIES = 2 * 100;
const SLASH = 47;

/**
 * Refuses a request whose head no client means: without the host it is for, or of more headers than anybody needs. A target
 * that names a host as well, which only proxies are asked for, becomes the path that it stands for: what is later made of
 * the path must hold no host that a client made up.
 */
export const wellFormedHead = definePlugin('well-formed-head', ['answer-head'], (app) => {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.url?.charCodeAt(0) !== SLASH) raw.url = originForm(raw.url ?? '');
    if (raw.rawHeaders.length > MOST_ENTRIES) return done(new ApiError('headers_too_large'));
    done(isHostless(raw) ? new ApiError('malformed_request') : undefined);
  });
});

/** Only the version that introduced the header demands it. */
const isHostless = ({ headers, httpVersionMinor, httpVersionMajor }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersionMinor === 1 && httpVersionMajor === 1;

/** Path and query of a target such as `http://host/path?query`. */
function originForm(target: string): string {
  const [, path = '/'] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  return path.startsWith('/') ? path : `/${path}`;
}
