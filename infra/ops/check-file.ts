import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Source } from '../../projections/sources/contract.ts';
import { sourceByTable } from '../../projections/sources/index.ts';
import { parseChangeLine } from '../../workers/ingest/decode/change-line.ts';
import {
  type DecodeContext,
  decodeRecord,
  decodeSnapshotLine,
  type IncomingRecord,
} from '../../workers/ingest/decode/envelope.ts';
import { decodeLines } from '../../workers/ingest/decode-lines.ts';
import type { DecodedRecord } from '../../workers/ingest/ingest-batch.ts';
import { type Print, usageError } from './command.ts';
import { fixOf } from './fixes.ts';
import { printRow, printTable } from './print-table.ts';

const CHANGES = /^changes\.ndjson(?:\.gz)?$/;
const TABLE = /^(?<table>[^.]+\.[^.]+)\.ndjson(?:\.gz)?$/;
const COLUMNS = ['line', 'key', 'field', 'reason', 'fix'] as const;
const BATCH = 5_000;
/** The prefix that `npm start` plays changes under. */
const PREFIX = 'producers';

/**
 * Checks a file of rows or envelopes, or one of change events, against the contracts, without a database. Prints each
 * violation with its line, from 1.
 *
 * @throws where the file breaks a contract, cannot be read, or names no source
 */
export async function checkFile(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { source: { type: 'string' }, prefix: { type: 'string' } },
    allowPositionals: true,
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw usageError('name one file');
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  const decode = decoderOf(path, values);
  let lines = 0;
  let broken = 0;
  printTable(print, COLUMNS, []);
  for await (const batch of decodeLines(path, 0, BATCH, decode)) {
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
  if (broken > 0) throw new Error(`${broken} of ${lines} lines break their contract`);
  print(`all ${lines} lines keep to their contract`);
}

type DecodeLine = (line: string, offset: number) => DecodedRecord;

function decoderOf(
  path: string,
  { source: table, prefix = PREFIX }: { source?: string; prefix?: string },
): DecodeLine {
  // The epoch decides between versions, not about violations.
  const context: DecodeContext = { prefix, epoch: () => 0 };
  const name = basename(path);
  if (table === undefined && CHANGES.test(name)) {
    return (line, offset) => {
      const record = parseChangeLine(line, offset);
      return { record, decoded: decodeRecord(record, context) };
    };
  }
  const source = sourceOf(table ?? TABLE.exec(name)?.groups?.table, name);
  return (line, offset) => {
    const record: IncomingRecord = {
      topic: source.table,
      key: null,
      value: line,
      headers: {},
      offset,
      timestamp: null,
    };
    return { record, decoded: decodeSnapshotLine(source, record, context, 0) };
  };
}

function sourceOf(table: string | undefined, name: string): Source {
  if (table === undefined)
    throw usageError(`${name} is named after no table: <schema>.<table>.ndjson[.gz]; say which by --source`);
  const source = sourceByTable.get(table);
  if (source === undefined) throw new Error(`no source is called "${table}"; see: sources list`);
  return source;
}
