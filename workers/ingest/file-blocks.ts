import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Bytes read, or inflated, at a time. */
const BLOCK_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The content of a file, plain or gzip, block by block, without the byte order mark of UTF-8.
 *
 * @param onRead told how many more bytes of the file, as it lies there, have been read
 * @throws with the file's name when it cannot be read, or ends before its compression does
 */
export async function* fileBlocks(
  path: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  const content = path.endsWith('.gz')
    ? // Whoever iterates sees what goes wrong in either stream.
      pipeline(file, createGunzip({ chunkSize: BLOCK_BYTES }), () => {})
    : file;
  let told = 0;
  try {
    for await (const block of content) {
      const isFirst = told === 0;
      onRead(file.bytesRead - told);
      told = file.bytesRead;
      yield isFirst ? withoutMark(block) : block;
    }
  } catch (cause) {
    throw new Error(`${basename(path)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

const withoutMark = (block: Buffer): Buffer =>
  block.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? block.subarray(BYTE_ORDER_MARK.length)
    : block;
