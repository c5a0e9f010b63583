import { basename } from 'node:path';
import { promisify } from 'node:util';
import { Parser } from 'csv-parse';
import type { Cell } from '../decode/csv-row.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { type BatchOptions, fileBlocks } from './file-blocks.ts';

/** Without a limit, an unclosed quote would extend to the end of the file. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Decodes the cells of a record; records after the header are numbered from 0. */
type DecodeCells = (cells: readonly Cell[], offset: number) => DecodedRecord;

/**
 * Decodes the records of a CSV file (RFC 4180, UTF-8, header first), plain or gzip, in batches. Empty lines are skipped.
 *
 * @param compile makes a decoder from the header
 * @throws with the file's name if it is unreadable, or its quotes or header are invalid
 */
export async function* decodeCsv(
  path: string,
  compile: (header: readonly Cell[]) => DecodeCells,
  { from, size, onRead }: BatchOptions,
): AsyncGenerator<DecodedRecord[]> {
  let decode: DecodeCells | null = null;
  let batch: DecodedRecord[] = [];
  let offset = 0;
  for await (const records of recordsOf(path, onRead)) {
    for (const cells of records) {
      if (decode === null) {
        decode = inFile(path, () => compile(cells));
        continue;
      }
      if (offset >= from) batch.push(decode(cells, offset));
      offset++;
      if (batch.length === size) {
        yield batch;
        batch = [];
      }
    }
  }
  if (decode === null) throw unreadable(path, 'it has no header');
  if (batch.length > 0) yield batch;
}

/** The records of a file, block by block. */
async function* recordsOf(path: string, onRead?: (bytes: number) => void): AsyncGenerator<Cell[][]> {
  let records: Cell[][] = [];
  const parser = new Parser({
    cast: (text, { quoting }) => (text === '' && !quoting ? null : text),
    max_record_size: MAX_RECORD_BYTES,
    on_record(record: Cell[]) {
      records.push(record);
      return null;
    },
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // The writer gets the error too.
  parser.on('error', () => {});
  const write = promisify((block: Buffer, done: (error?: Error | null) => void) => parser.write(block, done));
  const end = promisify((done: (error?: Error | null) => void) => parser.end(done));
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  for await (const block of fileBlocks(path, onRead)) {
    inFile(path, () => utf8.decode(block, { stream: true }));
    await write(block).catch((error: Error) => Promise.reject(unreadable(path, error.message)));
    yield records;
    records = [];
  }
  inFile(path, () => utf8.decode());
  await end().catch((error: Error) => Promise.reject(unreadable(path, error.message)));
  yield records;
}

function inFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

const unreadable = (path: string, why: string): Error =>
  new Error(`${basename(path)} cannot be read: ${why}`);
