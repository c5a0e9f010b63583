import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Source } from '../../projections/contracts/contract.ts';
import { sourceByTable } from '../../projections/contracts/index.ts';
import { largestExtra } from '../../workers/ingest/apply/enforce-limits.ts';
import { parseChangeLine } from '../../workers/ingest/decode/change-line.ts';
import {
  type DecodeContext,
  type Decoded,
  type DecodedRecord,
  decodeRecord,
} from '../../workers/ingest/decode/envelope.ts';
import type { Violation } from '../../workers/ingest/decode/reason.ts';
import { DEFAULT_LIMITS } from '../../workers/ingest/record-limits.ts';
import { decodeLines, type Line } from '../../workers/ingest/snapshots/decode-lines.ts';
import { decodeSnapshot, isCsv } from '../../workers/ingest/snapshots/decode-snapshot.ts';
import { tableOf } from '../../workers/ingest/snapshots/load-snapshot.ts';
import { type Print, usageError } from './command.ts';
import { givenPath } from './config.ts';
import { fixOf } from './fixes.ts';
import { printRow, printTable } from './print-table.ts';
import { faultOf } from './snapshot-files.ts';

const CHANGES = /^changes\.ndjson(?:\.gz)?$/;
const COLUMNS = ['line', 'key', 'field', 'reason', 'fix'] as const;
const BATCH = 5_000;
/** The topic prefix of the changes that `npm start` plays. */
const PREFIX = 'producers';

interface FileOptions {
  /** Default: the source in the name of the file. */
  readonly source?: Source | undefined;
  /** Of the topics in a file of change events. */
  readonly prefix?: string | undefined;
}

/**
 * Checks a file of rows or envelopes, or one of change events, against the contracts, without a database. Prints each
 * violation with its line or, in CSV, its record, counted from 1 without the header.
 *
 * @throws if the file breaks a contract, cannot be read, or names no source
 */
export async function checkFile(given: string, options: FileOptions, print: Print): Promise<void> {
  const path = givenPath(given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false)
    throw usageError(`there is no file ${path}`);
  const batches = decodeFile(path, options);
  const unit = isCsv(path) ? 'records' : 'lines';
  let lines = 0;
  let broken = 0;
  printTable(print, COLUMNS, []);
  for await (const batch of batches) {
    lines += batch.length;
    for (const { record, decoded } of batch) {
      const violations = violationsOf(decoded);
      if (violations.length === 0 || !('source' in decoded) || !('key' in decoded)) continue;
      broken++;
      for (const violation of violations) {
        const fix = fixOf(decoded.source, violation);
        printRow(print, COLUMNS, { line: record.offset + 1, key: decoded.key, ...violation, fix });
      }
    }
  }
  if (broken > 0) throw new Error(`${broken} of ${lines} ${unit} break their contract`);
  print(`all ${lines} ${unit} match their contract`);
}

function violationsOf(decoded: Decoded): readonly Violation[] {
  if (decoded.kind === 'rejected') return decoded.violations;
  const extra = decoded.kind === 'upsert' ? largestExtra(decoded, DEFAULT_LIMITS) : null;
  return extra === null ? [] : [{ field: extra, reason: 'extras_too_large' }];
}

/** Decodes the file's records. The epoch orders versions and has no influence on violations. */
function decodeFile(path: string, { source, prefix = PREFIX }: FileOptions): AsyncGenerator<DecodedRecord[]> {
  const context: DecodeContext = { prefix, epoch: () => 0 };
  const name = basename(path);
  const batches = { from: 0, size: BATCH };
  if (source === undefined && CHANGES.test(name)) {
    const decode = (line: Line, offset: number) => {
      const record = parseChangeLine(line, offset);
      return { record, decoded: decodeRecord(record, context) };
    };
    return decodeLines(path, decode, batches);
  }
  const file = { path, source: source ?? sourceByName(path) };
  return decodeSnapshot(file, { ...context, timeMs: 0 }, batches);
}

function sourceByName(path: string): Source {
  const table = tableOf(path) ?? '';
  const found = sourceByTable.get(table);
  if (found === undefined) throw usageError(faultOf(path, table || undefined) ?? '');
  return found;
}
