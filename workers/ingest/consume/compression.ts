import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
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

const zstd = { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) };

const CODECS: Readonly<Record<'Snappy' | 'LZ4' | 'ZSTD', Codec>> = {
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
    decompress: (bytes) => zstd.decompress(bytes),
  },
};

/** Teaches kafkajs, which knows gzip only, the other compressions of Kafka's producers. */
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
