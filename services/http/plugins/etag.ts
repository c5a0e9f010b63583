import { Type } from '@sinclair/typebox';
import type { FastifyReply, onSendHookHandler, RouteOptions } from 'fastify';
import { definePlugin } from '../define-plugin.ts';
import { contentEtag, matchesEtag } from '../etag.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether no two responses are equal, because of a token or of a measured time. */
    hasNoEtag?: boolean;
  }
}

const TIME = ',"generated_at":"';

/**
 * Adds a validator of the content to responses that are computed for each request, and responds 304 to clients that have
 * them already. Routes that know a validator before they compute their response set it themselves.
 */
export const etag = definePlugin('etag', ['compress'], (app) => {
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [...[route.onSend ?? []].flat(), dropLength];
    if (!isValidated(route)) return;
    // Before compression, which a 304 does not need.
    route.onSend = [validate, ...[route.onSend ?? []].flat()];
    const response = route.schema?.response as Readonly<Record<string, unknown>> | undefined;
    if (response !== undefined)
      route.schema = { ...route.schema, response: { ...response, 304: Type.Null() } };
  });
});

const isValidated = ({ method, config }: RouteOptions): boolean =>
  (method === 'GET' || method === 'HEAD') && !config?.sendsStoredBytes && !config?.hasNoEtag;

const validate: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || !isWhole(reply)) return done();
  const tag = contentEtag(timeless(payload));
  reply.header('etag', tag);
  if (!matchesEtag(request.headers['if-none-match'], tag)) return done();
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  // The next hook of HEAD does not accept null.
  done(null, request.method === 'HEAD' ? '' : null);
};

/** A response that nobody may keep needs no validator. */
const isWhole = (reply: FastifyReply): boolean =>
  reply.statusCode === 200 && !reply.hasHeader('etag') && reply.getHeader('cache-control') !== 'no-store';

/** A 304 to HEAD has no body, so a length would be wrong. */
const dropLength: onSendHookHandler<unknown> = (_request, reply, _payload, done) => {
  if (reply.statusCode === 304) reply.removeHeader('content-length');
  done();
};

/** A response without its `generated_at`, which is always its last member. */
function timeless(json: string): string {
  const at = json.lastIndexOf(TIME);
  const isLast = at >= 0 && json.indexOf('"', at + TIME.length) === json.length - 2;
  return isLast ? json.slice(0, at) : json;
}
