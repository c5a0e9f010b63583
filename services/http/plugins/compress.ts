import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, onSendHookHandler } from 'fastify';
import { type ContentCoding, preferredCoding } from '../accept-encoding.ts';
import { definePlugin } from '../define-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route sends stored bytes, which have their own validator and coding. */
    sendsStoredBytes?: boolean;
  }
}

/** A smaller response needs as many packets compressed as plain. */
const WORTH_COMPRESSING_BYTES = 1_024;
/** As fast as gzip, and smaller; each further level takes twice as long for a few percent. */
const BROTLI_QUALITY = 4;
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|javascript|xml|yaml)|image\/svg)/;

/**
 * Compresses text that no route has compressed. A thread of the pool compresses, so that no other request waits. Replaces
 * `@fastify/compress`, as infra/decisions/http-plugins.md explains.
 */
export const compress = definePlugin('compress', [], (app) => {
  app.addHook('onRoute', (route) => {
    if (route.config?.sendsStoredBytes) return;
    // Before the hook that removes the body of a response to HEAD.
    route.onSend = [compressText, ...[route.onSend ?? []].flat()];
  });
});

const compressText: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (reply.statusCode === 304) addVary(reply);
  if (!isText(payload) || !isWorthIt(payload) || !isPlainText(reply)) return done();
  addVary(reply);
  const coding = preferredCoding(request.headers['accept-encoding']);
  if (coding === null) return done();
  ENCODERS[coding](payload, (error, encoded) => {
    // The deadline may have passed meanwhile.
    if (reply.raw.headersSent) return;
    if (error !== null) return done(error);
    reply.removeHeader('content-length').header('content-encoding', coding);
    done(null, encoded);
  });
};

type Encoder = (payload: string | Buffer, done: (error: Error | null, encoded: Buffer) => void) => void;

const ENCODERS: Readonly<Record<ContentCoding, Encoder>> = {
  br: (payload, done) =>
    brotliCompress(
      payload,
      {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(payload),
        },
      },
      done,
    ),
  gzip,
};

const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

const isWorthIt = (payload: string | Buffer): boolean =>
  Buffer.byteLength(payload) >= WORTH_COMPRESSING_BYTES;

const isPlainText = (reply: FastifyReply): boolean =>
  !reply.hasHeader('content-encoding') && TEXT.test(String(reply.getHeader('content-type')));

/** Caches keep responses of different codings apart. */
function addVary(reply: FastifyReply): void {
  const names = [reply.getHeader('vary') ?? []].flat().flatMap((name) => String(name).split(/\s*,\s*/));
  if (names.some((name) => name.toLowerCase() === 'accept-encoding')) return;
  reply.header('vary', [...names, 'Accept-Encoding'].join(', '));
}
