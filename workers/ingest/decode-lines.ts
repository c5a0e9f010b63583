import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { DecodedRecord } from './ingest-batch.ts';

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
  for await (const line of linesOf(path)) {
    if (offset >= from && line !== '') batch.push(decode(line, offset));
    offset++;
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => text.destroy(error));
  try {
    yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new Error(`${basename(path)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
