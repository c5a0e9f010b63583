import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredCoding } from '../plugins/content-coding.ts';
import { contentEtag, matchesEtag } from '../serving/etag.ts';

/** A text that stays as it is for as long as the process runs. */
export interface ServedText {
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

export interface TextOptions {
  /** Media type, with its charset. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long it may be kept; five minutes unless given. */
  readonly cacheControl?: string;
  /** Makes the text when it is first asked for. */
  readonly make: () => string;
}

const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
/** Nearly as small as it gets, in a tenth of the time. */
const BROTLI_QUALITY = 9;

interface Made {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
  readonly etag: string;
}

async function madeOf(text: string): Promise<Made> {
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [zipped, br] = await Promise.all([zip(plain), brotli(plain, { params })]);
  return { plain, gzip: zipped, br, etag: contentEtag(plain) };
}

/** Serves a text to everybody, compressed once, with a validator. */
export function servedText({
  type,
  headers = {},
  cacheControl = 'public, max-age=300',
  make,
}: TextOptions): ServedText {
  let made: Promise<Made> | null = null;
  return {
    async send(request, reply) {
      made ??= madeOf(make());
      const { plain, etag, ...coded } = await made;
      reply.headers({ ...headers, etag, vary: 'accept-encoding', 'cache-control': cacheControl });
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      reply.type(type);
      const coding = preferredCoding(request.headers['accept-encoding']);
      if (coding === null) return reply.send(plain);
      return reply.header('content-encoding', coding).send(coded[coding]);
    },
  };
}
