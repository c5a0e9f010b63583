import { definePlugin } from '../define-plugin.ts';
import { ApiError } from '../errors.ts';
import { addRequestHook } from './request-hook.ts';

/**
 * Rejects a query whose percent-encoding is not UTF-8, which the parser would pass on unchanged. A parser cannot reject it:
 * the framework does not catch what a parser throws.
 */
export const wellFormedQuery = definePlugin('well-formed-query', ['rate-limit'], (app) => {
  app.addHook('onRoute', (route) =>
    addRequestHook(route, (request, _reply, done) => {
      done(isWellFormed(request.raw.url ?? '') ? undefined : new ApiError('malformed_request'));
    }),
  );
});

/** The path has been decoded already, so any fault is in the query. */
function isWellFormed(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
