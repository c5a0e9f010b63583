import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Bytes to read or inflate at a time. */
const BLOCK_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The part of a file to read, and the size of the batches. */
export interface BatchOptions {
  /** Number of the first line or record. */
  readonly from: number;
  readonly size: number;
  /** Receives the number of bytes read from the file since its last call. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * The content of a file, plain or gzip, block by block, without the byte order mark of UTF-8.
 *
 * @param onRead receives the number of bytes read from the file since its last call
 * @throws with the file's name if it is unreadable, or its compression is incomplete
 */
export async function* fileBlocks(
  path: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  const content = path.endsWith('.gz')
    ? // The iteration throws the errors of both streams.
      pipeline(file, createGunzip({ chunkSize: BLOCK_BYTES }), () => {})
    : file;
  let reported = 0;
  try {
    for await (const block of content) {
      const isFirst = reported === 0;
      onRead(file.bytesRead - reported);
      reported = file.bytesRead;
      yield isFirst ? withoutMark(block) : block;
    }
  } catch (cause) {
    throw new Error(`${basename(path)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Identifies a file by its content: the SHA-256 of its bytes, in hex. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path, { highWaterMark: BLOCK_BYTES })) hash.update(block);
  return hash.digest('hex');
}

const withoutMark = (block: Buffer): Buffer =>
  block.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? block.subarray(BYTE_ORDER_MARK.length)
    : block;
