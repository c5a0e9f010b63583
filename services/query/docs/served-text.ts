import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefersGzip } from '../serving/accept-encoding.ts';
import { matchesEtag, weakEtag } from '../serving/etag.ts';

/** A text that stays as it is for as long as the process runs. */
export interface ServedText {
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

export interface TextOptions {
  /** Media type, with its charset. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the text when it is first asked for. */
  readonly make: () => string;
}

const compress = promisify(gzip);

interface Made {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

async function madeOf(text: string): Promise<Made> {
  const plain = Buffer.from(text);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { plain, zipped: await compress(plain), etag: weakEtag(digest) };
}

/** Serves a text to everybody, compressed once, with a validator. */
export function servedText({ type, headers = {}, make }: TextOptions): ServedText {
  let made: Promise<Made> | null = null;
  return {
    async send(request, reply) {
      made ??= madeOf(make());
      const { plain, zipped, etag } = await made;
      reply.headers({ ...headers, etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=300' });
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      reply.type(type);
      if (!prefersGzip(request.headers['accept-encoding'])) return reply.send(plain);
      return reply.header('content-encoding', 'gzip').send(zipped);
    },
  };
}
