import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredCoding } from '../../http/accept-encoding.ts';
import { contentEtag, matchesEtag } from '../../http/etag.ts';

/** A text that does not change. */
export interface ServedText {
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

export interface TextOptions {
  /** Media type, with its charset. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: five minutes. */
  readonly cacheControl?: string;
  /** Called at the first request. */
  readonly load: () => string;
  /** Default: a hash of the text. */
  readonly etag?: string;
}

const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
/** Nearly as small as the highest quality, in a tenth of the time. */
const BROTLI_QUALITY = 9;

interface EncodedText {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
  readonly etag: string;
}

async function encode(text: string, etag?: string): Promise<EncodedText> {
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [zipped, br] = await Promise.all([zip(plain), brotli(plain, { params })]);
  return { plain, gzip: zipped, br, etag: etag ?? contentEtag(plain) };
}

/** Serves a text, compressed once, with an ETag. */
export function servedText({
  type,
  headers = {},
  cacheControl = 'public, max-age=300',
  load,
  etag: given,
}: TextOptions): ServedText {
  let encoded: Promise<EncodedText> | null = null;
  return {
    async send(request, reply) {
      encoded ??= encode(load(), given);
      const { plain, etag, ...coded } = await encoded;
      reply.headers({ ...headers, etag, vary: 'accept-encoding', 'cache-control': cacheControl });
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      reply.type(type);
      const coding = preferredCoding(request.headers['accept-encoding']);
      if (coding === null) return reply.send(plain);
      return reply.header('content-encoding', coding).send(coded[coding]);
    },
  };
}
