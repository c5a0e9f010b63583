import { promisify } from 'node:util';
import { gzip, unzip, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import { compressFrame, decompressFrame } from 'lz4-napi';
import { compress, uncompress } from 'snappy';

/** What kafkajs calls an encoder has the records of a batch in its `buffer`. */
interface Encoded {
  readonly buffer: Buffer;
}

interface Codec {
  compress(encoded: Encoded): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

const zipped = { compress: promisify(gzip), decompress: promisify(unzip) };
const zstd = { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) };

/** These two can make a megabyte of what fills the memory. The others grow by a factor of at most 255. */
const LIMIT = { maxOutputLength: 256 * 1024 * 1024 };

const CODECS: Readonly<Record<'GZIP' | 'Snappy' | 'LZ4' | 'ZSTD', Codec>> = {
  GZIP: {
    compress: ({ buffer }) => zipped.compress(buffer),
    decompress: (bytes) => limited(zipped.decompress(bytes, LIMIT)),
  },
  Snappy: {
    compress: ({ buffer }) => compress(buffer),
    decompress: decompressSnappy,
  },
  LZ4: {
    compress: ({ buffer }) => compressFrame(buffer),
    decompress: (bytes) => decompressFrame(bytes),
  },
  ZSTD: {
    compress: ({ buffer }) => zstd.compress(buffer),
    decompress: (bytes) => limited(zstd.decompress(bytes, LIMIT)),
  },
};

async function limited(decompressed: Promise<Buffer>): Promise<Buffer> {
  try {
    return await decompressed;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new RangeError('a batch has more than 256 MiB when it is decompressed', { cause: error });
  }
}

/** Teaches kafkajs, which knows gzip only and reads it without a limit, the compressions of Kafka's producers. */
export function registerCompression(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  for (const [name, codec] of Object.entries(CODECS) as [keyof typeof CODECS, Codec][])
    CompressionCodecs[CompressionTypes[name]] = () => codec;
}

/** The Java client writes Snappy in blocks: this start, two versions, then each block after its length. */
const XERIAL = Buffer.from('\x82SNAPPY\x00', 'latin1');
const XERIAL_HEADER = XERIAL.length + 8;

/** @throws Error for bytes that are not Snappy, in blocks or as one */
async function decompressSnappy(bytes: Buffer): Promise<Buffer> {
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) return uncompressBlock(bytes);
  const blocks: Buffer[] = [];
  for (let at = XERIAL_HEADER; at < bytes.length; ) {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new RangeError('a Snappy block is longer than its batch');
    blocks.push(await uncompressBlock(bytes.subarray(start, at)));
  }
  return Buffer.concat(blocks);
}

/** As bytes: without the option the result is the same, but its type is not. */
const uncompressBlock = async (block: Buffer): Promise<Buffer> =>
  (await uncompress(block, { asBuffer: true })) as Buffer;
