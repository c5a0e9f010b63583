import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { DecodedRecord } from './ingest-batch.ts';

/** Bytes read, or inflated, at a time. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Decodes the lines of a file, plain or gzip, in batches. Empty lines are passed over but counted.
 *
 * @param from number of the first line to decode
 * @throws with the file's name when it cannot be read
 */
export async function* decodeLines(
  path: string,
  from: number,
  size: number,
  decode: (line: string, offset: number) => DecodedRecord,
): AsyncGenerator<DecodedRecord[]> {
  let batch: DecodedRecord[] = [];
  let offset = 0;
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      if (offset >= from && line !== '') batch.push(decode(line, offset));
      offset++;
      if (batch.length === size) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** The lines of a file, as many at a time as a block holds: to wait for each of them would cost more than to decode it. */
async function* linesOf(path: string): AsyncGenerator<string[]> {
  const file = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  const content = path.endsWith('.gz') ? file.pipe(createGunzip({ chunkSize: BLOCK_BYTES })) : file;
  file.on('error', (error) => content.destroy(error));
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const block of content) {
      const lines = (rest + decoder.decode(block, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield lines;
    }
  } catch (cause) {
    throw new Error(`${basename(path)} cannot be read: ${(cause as Error).message}`, { cause });
  }
  rest += decoder.decode();
  if (rest !== '') yield [rest];
}
