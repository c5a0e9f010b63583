import { Type } from '@sinclair/typebox';
import type { FastifyReply, onSendHookHandler, RouteOptions } from 'fastify';
import { definePlugin } from '../../http/define-plugin.ts';
import { contentEtag, matchesEtag } from '../serving/etag.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether no two answers are the same, be it for a token in them or for a time that is measured. */
    hasNoEtag?: boolean;
  }
}

const TIME = ',"generated_at":"';

/**
 * Gives answers that are made anew for each request a validator of what they say, and answers 304 to whoever holds them
 * already. Routes that know a validator before they make their answer set it themselves.
 */
export const etag = definePlugin('etag', ['compress'], (app) => {
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [...[route.onSend ?? []].flat(), dropLength];
    if (!isValidated(route)) return;
    // Before compression, which has nothing to do then.
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
  // The hook that follows on HEAD knows no null.
  done(null, request.method === 'HEAD' ? '' : null);
};

const isWhole = (reply: FastifyReply): boolean => reply.statusCode === 200 && !reply.hasHeader('etag');

/** The length of what is not sent would be told, and it is that of another answer. */
const dropLength: onSendHookHandler<unknown> = (_request, reply, _payload, done) => {
  if (reply.statusCode === 304) reply.removeHeader('content-length');
  done();
};

/** An answer without the instant at which it was made, which the answers that tell it end with. */
function timeless(json: string): string {
  const at = json.lastIndexOf(TIME);
  const isLast = at >= 0 && json.indexOf('"', at + TIME.length) === json.length - 2;
  return isLast ? json.slice(0, at) : json;
}
