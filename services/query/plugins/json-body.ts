import type { preParsingHookHandler } from 'fastify';
import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../errors.ts';

/** What JSON may be said to be written in; it is UTF-8 all the same. */
const UTF8 = /^(?:utf-?8|us-ascii)$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads bodies as JSON in UTF-8 and as nothing else: bytes that are none are refused rather than replaced, and so is a body
 * that is compressed or said to be of another charset.
 */
export const jsonBody = definePlugin('json-body', ['errors'], (app) => {
  // No route takes plain text; parsed, it would be told that it is no object.
  app.removeContentTypeParser('text/plain');
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = decoded(body);
    if (text === null) return done(new ApiError('invalid_json'));
    return parse(request, text, done);
  });
  app.addHook('onRoute', (route) => {
    // Routes of several methods pass on what is none of theirs.
    if (route.method !== 'POST') return;
    route.preParsing = [refuseCoded, ...[route.preParsing ?? []].flat()];
  });
});

const refuseCoded: preParsingHookHandler = ({ headers }, reply, payload, done) => {
  const coding = headers['content-encoding'] ?? 'identity';
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (coding.toLowerCase() !== 'identity') {
    // Says to whom it concerns what would be taken.
    reply.header('accept-encoding', 'identity');
    return done(
      new ApiError('unsupported_media_type', {
        message: 'The request body is compressed, which no route takes.',
        hint: 'Send it as it is, without Content-Encoding.',
      }),
    );
  }
  if (!UTF8.test(charset))
    return done(
      new ApiError('unsupported_media_type', {
        message: 'The request body is said to be in a charset other than UTF-8.',
        hint: 'Send JSON in UTF-8, with Content-Type: application/json.',
      }),
    );
  done(null, payload);
};

/** Text in UTF-8; null where the bytes are none. */
function decoded(body: string | Buffer): string | null {
  if (typeof body === 'string') return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
