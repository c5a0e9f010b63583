import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, onSendHookHandler } from 'fastify';
import { definePlugin } from '../../http/define-plugin.ts';
import { type ContentCoding, preferredCoding } from './content-coding.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route sends bytes as they are stored, with a validator and a coding of their own. */
    sendsStoredBytes?: boolean;
  }
}

/** Below this a compressed answer fits no fewer packets. */
const WORTH_COMPRESSING_BYTES = 1_024;
/** About as quick as gzip, and smaller; each further level takes twice as long for a few percent. */
const BROTLI_QUALITY = 4;
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|javascript|xml|yaml)|image\/svg)/;

/**
 * Sends text that no route has compressed yet in the coding that the client likes best. Another thread compresses, so that
 * nobody waits for the answers of others.
 */
export const compress = definePlugin('compress', [], (app) => {
  app.addHook('onRoute', (route) => {
    if (route.config?.sendsStoredBytes) return;
    // Before the hook that takes the body off an answer to HEAD.
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
    // The deadline may have answered meanwhile.
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

/** Caches keep the answers to those who take one coding and to those who take another apart. */
function addVary(reply: FastifyReply): void {
  const names = [reply.getHeader('vary') ?? []].flat().flatMap((name) => String(name).split(/\s*,\s*/));
  if (names.some((name) => name.toLowerCase() === 'accept-encoding')) return;
  reply.header('vary', [...names, 'Accept-Encoding'].join(', '));
}
