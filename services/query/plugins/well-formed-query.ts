import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../errors.ts';
import { addRequestHook } from './request-hook.ts';

/**
 * Refuses a query whose percent-encoding is no UTF-8, which the parser would pass on as it stands. Parsers have no way to
 * refuse: what they throw, the framework does not catch.
 */
export const wellFormedQuery = definePlugin('well-formed-query', ['rate-limit'], (app) => {
  app.addHook('onRoute', (route) =>
    addRequestHook(route, (request, _reply, done) => {
      done(isWellFormed(request.raw.url ?? '') ? undefined : new ApiError('malformed_request'));
    }),
  );
});

/** The path has been decoded already, so any fault is behind it. */
function isWellFormed(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
