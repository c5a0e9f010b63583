import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** A value of a column whose binary form is its bytes: text and bytea. */
export type CopyValue = string | Buffer | null;

const SIGNATURE = Buffer.from([
  ...Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
  ...[0, 0, 0, 0],
  ...[0, 0, 0, 0],
]);
const END = Buffer.from([0xff, 0xff]);
const CHUNK_BYTES = 256 * 1024;

/**
 * Copies rows into a table in PostgreSQL's binary format.
 *
 * @param target table and columns as in `read.artist (key, hash)`; all of type text or bytea
 */
export async function copyRows(
  client: ClientBase,
  target: string,
  rows: Iterable<readonly CopyValue[]> | AsyncIterable<readonly CopyValue[]>,
): Promise<void> {
  const sink = client.query(copyFrom(`copy ${target} from stdin (format binary)`));
  await pipeline(Readable.from(encodeRows(rows), { objectMode: false }), sink);
}

async function* encodeRows(
  rows: Iterable<readonly CopyValue[]> | AsyncIterable<readonly CopyValue[]>,
): AsyncGenerator<Buffer> {
  yield SIGNATURE;
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = 0;
  for await (const row of rows) {
    const maxBytes = row.reduce((bytes, value) => bytes + 4 + (value === null ? 0 : value.length * 3), 2);
    if (at + maxBytes > chunk.length) {
      yield chunk.subarray(0, at);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, maxBytes));
      at = 0;
    }
    at = encodeRow(chunk, at, row);
  }
  yield chunk.subarray(0, at);
  yield END;
}

function encodeRow(chunk: Buffer, start: number, row: readonly CopyValue[]): number {
  let at = chunk.writeInt16BE(row.length, start);
  for (const value of row) {
    if (value === null) {
      at = chunk.writeInt32BE(-1, at);
      continue;
    }
    const bytes = typeof value === 'string' ? chunk.write(value, at + 4) : value.copy(chunk, at + 4);
    chunk.writeInt32BE(bytes, at);
    at += 4 + bytes;
  }
  return at;
}
