import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { prefersGzip } from '../serving/accept-encoding.ts';
import { definePlugin } from './define-plugin.ts';

/** Below this a compressed answer fits no fewer packets. */
const WORTH_GZIP_BYTES = 1_024;
const TEXT = /^(?:text\/|application\/(?:json|javascript|xml|yaml)|image\/svg)/;

/**
 * Sends text that no route has compressed yet as gzip to who takes it. Another thread compresses, so that nobody waits for
 * the answers of others.
 */
export const compress = definePlugin('compress', [], (app) => {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 304) addVary(reply);
    if (!isText(payload) || !isWorthIt(payload) || !isPlainText(reply)) return done();
    addVary(reply);
    if (!prefersGzip(request.headers['accept-encoding'])) return done();
    gzip(payload, (error, zipped) => {
      // The deadline may have answered meanwhile.
      if (reply.raw.headersSent) return;
      if (error !== null) return done(error);
      reply.removeHeader('content-length').header('content-encoding', 'gzip');
      done(null, zipped);
    });
  });
});

const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

const isWorthIt = (payload: string | Buffer): boolean => Buffer.byteLength(payload) >= WORTH_GZIP_BYTES;

const isPlainText = (reply: FastifyReply): boolean =>
  !reply.hasHeader('content-encoding') && TEXT.test(String(reply.getHeader('content-type')));

/** Caches keep the answers to those who take gzip and to those who do not apart. */
function addVary(reply: FastifyReply): void {
  const names = [reply.getHeader('vary') ?? []].flat().flatMap((name) => String(name).split(/\s*,\s*/));
  if (names.some((name) => name.toLowerCase() === 'accept-encoding')) return;
  reply.header('vary', [...names, 'Accept-Encoding'].join(', '));
}
