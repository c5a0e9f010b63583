import type { Source } from '../../projections/sources/contract.ts';
import { type Cell, compileCsvRow } from './decode/csv-row.ts';
import { refusedFor } from './decode/decoded.ts';
import {
  type DecodeContext,
  type DecodedRecord,
  decodeRow,
  decodeSnapshotLine,
  type IncomingRecord,
} from './decode/envelope.ts';
import { jsonText } from './decode/json-text.ts';
import { snapshotVersion } from './decode/version.ts';
import { decodeCsv } from './decode-csv.ts';
import { decodeLines } from './decode-lines.ts';

/** A snapshot file and the source it holds. */
export interface SnapshotFile {
  readonly path: string;
  readonly source: Source;
}

/** What a snapshot's rows are decoded with. */
export interface SnapshotContext extends DecodeContext {
  /** When the snapshot was taken, in milliseconds since 1970. */
  readonly timeMs: number;
}

/**
 * Decodes a snapshot file in batches: rows as CSV, where its name says so, else a row or an envelope a line.
 *
 * @param from number of the first line or, without the header, record to decode
 * @param onRead told how many more bytes of the file have been read
 * @throws with the file's name when it cannot be read
 */
export function decodeSnapshot(
  { path, source }: SnapshotFile,
  from: number,
  size: number,
  context: SnapshotContext,
  onRead?: (bytes: number) => void,
): AsyncGenerator<DecodedRecord[]> {
  if (isCsv(path)) return decodeCsv(path, from, size, csvDecoder(source, context), onRead);
  return decodeLines(
    path,
    from,
    size,
    (value, offset) => {
      const record = recordOf(source, value, offset, context);
      return { record, decoded: decodeSnapshotLine(source, record, context, context.timeMs) };
    },
    onRead,
  );
}

/** Whether a file holds CSV, by its name. */
export const isCsv = (path: string): boolean => /\.csv(?:\.gz)?$/.test(path);

const recordOf = (
  { table }: Source,
  value: IncomingRecord['value'],
  offset: number,
  { timeMs }: SnapshotContext,
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
          ? refusedFor(source, null, 'value', 'not_a_row', version)
          : decodeRow(source, row, { version, sourceTimeMs: timeMs });
      const record = {
        ...recordOf(source, null, offset, context),
        // The row as JSON, which only a record that ends in the dead letters has to show.
        get value() {
          return jsonText(row ?? cells);
        },
      };
      return { record, decoded };
    };
  };
}
