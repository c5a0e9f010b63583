import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Source } from '../../projections/sources/contract.ts';
import { sourceByTable } from '../../projections/sources/index.ts';
import { parseChangeLine } from '../../workers/ingest/decode/change-line.ts';
import {
  type DecodeContext,
  type DecodedRecord,
  decodeRecord,
} from '../../workers/ingest/decode/envelope.ts';
import { decodeLines } from '../../workers/ingest/decode-lines.ts';
import { decodeSnapshot, isCsv } from '../../workers/ingest/decode-snapshot.ts';
import { tableOf } from '../../workers/ingest/load-snapshot.ts';
import { type Print, usageError } from './command.ts';
import { fixOf } from './fixes.ts';
import { givenPath } from './given-path.ts';
import { printRow, printTable } from './print-table.ts';

const CHANGES = /^changes\.ndjson(?:\.gz)?$/;
const COLUMNS = ['line', 'key', 'field', 'reason', 'fix'] as const;
const BATCH = 5_000;
/** The prefix that `npm start` plays changes under. */
const PREFIX = 'producers';

/**
 * Checks a file of rows or envelopes, or one of change events, against the contracts, without a database. Prints each
 * violation with its line or, of CSV, its record, from 1, the header not counted.
 *
 * @throws where the file breaks a contract, cannot be read, or names no source
 */
export async function checkFile(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { source: { type: 'string' }, prefix: { type: 'string' } },
    allowPositionals: true,
  });
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw usageError('name one file');
  const path = givenPath(given);
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  const unit = isCsv(path) ? 'records' : 'lines';
  let lines = 0;
  let broken = 0;
  printTable(print, COLUMNS, []);
  for await (const batch of decodeFile(path, values)) {
    lines += batch.length;
    for (const { record, decoded } of batch) {
      if (decoded.kind !== 'refused') continue;
      broken++;
      for (const violation of decoded.violations) {
        const fix = fixOf(decoded.source, violation);
        printRow(print, COLUMNS, { line: record.offset + 1, key: decoded.key, ...violation, fix });
      }
    }
  }
  if (broken > 0) throw new Error(`${broken} of ${lines} ${unit} break their contract`);
  print(`all ${lines} ${unit} keep to their contract`);
}

/** The file's records as they are decoded. The epoch decides between versions, not about violations. */
function decodeFile(
  path: string,
  { source: table, prefix = PREFIX }: { source?: string; prefix?: string },
): AsyncGenerator<DecodedRecord[]> {
  const context: DecodeContext = { prefix, epoch: () => 0 };
  const name = basename(path);
  if (table === undefined && CHANGES.test(name)) {
    return decodeLines(path, 0, BATCH, (line, offset) => {
      const record = parseChangeLine(line, offset);
      return { record, decoded: decodeRecord(record, context) };
    });
  }
  const source = sourceOf(table ?? tableOf(path), name);
  return decodeSnapshot({ path, source }, 0, BATCH, { ...context, timeMs: 0 });
}

function sourceOf(table: string | undefined, name: string): Source {
  if (table === undefined)
    throw usageError(
      `${name} is named after no table: <schema>.<table>.ndjson or .csv, with or without .gz; say which by --source`,
    );
  const source = sourceByTable.get(table);
  if (source === undefined) throw new Error(`no source is called "${table}"; see: sources list`);
  return source;
}
