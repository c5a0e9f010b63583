import type { Source } from '../../../projections/contracts/contract.ts';
import { type Cell, compileCsvRow } from '../decode/csv-row.ts';
import { rejected } from '../decode/decoded.ts';
import {
  type DecodedRecord,
  decodeRow,
  decodeSnapshotLine,
  type IncomingRecord,
  type SnapshotContext,
} from '../decode/envelope.ts';
import { jsonText } from '../decode/json.ts';
import { snapshotVersion } from '../decode/version.ts';
import { decodeCsv } from './decode-csv.ts';
import { decodeLines, type Line } from './decode-lines.ts';
import type { BatchOptions } from './file-blocks.ts';

/** A snapshot file and its source. */
export interface SnapshotFile {
  readonly path: string;
  readonly source: Source;
}

/**
 * Decodes a snapshot file in batches: rows as CSV if its name ends so, else one row or envelope a line.
 *
 * @throws with the file's name if it is unreadable
 */
export function decodeSnapshot(
  { path, source }: SnapshotFile,
  context: SnapshotContext,
  options: BatchOptions,
): AsyncGenerator<DecodedRecord[]> {
  if (isCsv(path)) return decodeCsv(path, csvDecoder(source, context), options);
  const decode = (value: Line, offset: number) => {
    const record = recordOf(source, context, { value, offset });
    return { record, decoded: decodeSnapshotLine(source, record, context) };
  };
  return decodeLines(path, decode, options);
}

/** Whether a file contains CSV, by its name. */
export const isCsv = (path: string): boolean => /\.csv(?:\.gz)?$/.test(path);

const recordOf = (
  { table }: Source,
  { timeMs }: SnapshotContext,
  { value, offset }: Pick<IncomingRecord, 'value' | 'offset'>,
): IncomingRecord => ({
  topic: table,
  key: null,
  value,
  headers: {},
  offset,
  timestamp: null,
  snapshotTimeMs: timeMs,
});

function csvDecoder(source: Source, context: SnapshotContext) {
  const { timeMs } = context;
  return (header: readonly Cell[]) => {
    const readRow = compileCsvRow(source, header);
    const version = snapshotVersion(context.epoch(source), timeMs);
    return (cells: readonly Cell[], offset: number): DecodedRecord => {
      const row = readRow(cells);
      const decoded =
        row === null
          ? rejected(source, [{ field: 'value', reason: 'not_a_row' }], { version })
          : decodeRow(source, row, { version, sourceTimeMs: timeMs });
      const record = {
        ...recordOf(source, context, { value: null, offset }),
        // The row as JSON, which only dead letters need.
        get value() {
          return jsonText(row ?? cells);
        },
      };
      return { record, decoded };
    };
  };
}

/** Produces the next item while the consumer uses the one before. */
export async function* oneAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (let next = nextOf(iterator); ; ) {
      const item = await next;
      if (item.done) return;
      next = nextOf(iterator);
      yield item.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function nextOf<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const item = iterator.next();
  // A rejection is thrown when the item is awaited; until then it must not count as unhandled.
  item.catch(() => {});
  return item;
}
