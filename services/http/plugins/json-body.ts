import type { preParsingHookHandler } from 'fastify';
import { definePlugin } from '../define-plugin.ts';
import { ApiError } from '../errors.ts';

/** Accepted names of the charset. Bodies are read as UTF-8 in any case. */
const UTF8 = /^(?:utf-?8|us-ascii)$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads bodies only as JSON in UTF-8. Rejects invalid bytes instead of replacing them, and rejects bodies that are
 * compressed or declare another charset.
 */
export const jsonBody = definePlugin('json-body', ['errors'], (app) => {
  // No route accepts plain text; its error would say that the body is no object.
  app.removeContentTypeParser('text/plain');
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = decoded(body);
    if (text === null) return done(new ApiError('invalid_json'));
    return parse(request, text, done);
  });
  app.addHook('onRoute', (route) => {
    // Routes of several methods proxy their bodies unread.
    if (route.method !== 'POST') return;
    route.preParsing = [rejectEncoded, ...[route.preParsing ?? []].flat()];
  });
});

const rejectEncoded: preParsingHookHandler = ({ headers }, reply, payload, done) => {
  const coding = headers['content-encoding'] ?? 'identity';
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (coding.toLowerCase() !== 'identity') {
    // Names the accepted coding.
    reply.header('accept-encoding', 'identity');
    return done(
      new ApiError('unsupported_media_type', {
        message: 'The request body is compressed, which no route accepts.',
        hint: 'Send the body uncompressed, without Content-Encoding.',
      }),
    );
  }
  if (!UTF8.test(charset))
    return done(
      new ApiError('unsupported_media_type', {
        message: 'The Content-Type of the request body names a charset other than UTF-8.',
        hint: 'Send JSON in UTF-8, with Content-Type: application/json.',
      }),
    );
  done(null, payload);
};

/** The text in UTF-8; null if the bytes are invalid. */
function decoded(body: string | Buffer): string | null {
  if (typeof body === 'string') return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
