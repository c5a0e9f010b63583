import { isUtf8 } from 'node:buffer';
import type { DecodedRecord } from '../decode/envelope.ts';
import { type BatchOptions, fileBlocks } from './file-blocks.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** A line; bytes if it is not UTF-8, so that no character is replaced. */
export type Line = string | Buffer;

/**
 * Decodes the lines of a file, plain or gzip, in batches. Empty lines are skipped but counted.
 *
 * @throws with the file's name if it is unreadable
 */
export async function* decodeLines(
  path: string,
  decode: (line: Line, offset: number) => DecodedRecord,
  { from, size, onRead }: BatchOptions,
): AsyncGenerator<DecodedRecord[]> {
  let batch: DecodedRecord[] = [];
  let offset = 0;
  for await (const lines of linesOf(path, onRead)) {
    for (const line of lines) {
      if (offset >= from && line.length > 0) batch.push(decode(line, offset));
      offset++;
      if (batch.length === size) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** The lines of a file, block by block: to await each line would cost more than to decode it. */
async function* linesOf(path: string, onRead?: (bytes: number) => void): AsyncGenerator<Line[]> {
  let rest: Buffer[] = [];
  for await (const block of fileBlocks(path, onRead)) {
    const end = block.lastIndexOf(LINE_FEED);
    if (end === -1) {
      rest.push(block);
      continue;
    }
    yield splitLines(Buffer.concat([...rest, block.subarray(0, end)]));
    rest = [block.subarray(end + 1)];
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield splitLines(last);
}

function splitLines(bytes: Buffer): Line[] {
  const whole = withoutReturn(bytes);
  return isUtf8(whole) ? whole.toString().split(/\r?\n/) : splitBytes(whole);
}

function splitBytes(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    const line = withoutReturn(bytes.subarray(start, end));
    lines.push(isUtf8(line) ? line.toString() : line);
    start = end + 1;
  }
  return lines;
}

const withoutReturn = (bytes: Buffer): Buffer =>
  bytes[bytes.length - 1] === RETURN ? bytes.subarray(0, -1) : bytes;
