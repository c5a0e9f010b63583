import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { SnapshotFile } from '../../workers/ingest/decode-snapshot.ts';
import {
  findTableFiles,
  type LoadOptions,
  snapshotsOf,
  type TableFile,
  tableOf,
} from '../../workers/ingest/load-snapshot.ts';
import { usageError } from './command.ts';
import { givenPath } from './given-path.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** What is to be loaded, and how. */
export interface Wanted {
  readonly paths: readonly string[];
  readonly source: string | undefined;
  readonly prefix: string | undefined;
  /** When the snapshots were taken; null for when each file was last written to. */
  readonly asOfMs: number | null;
  readonly replace: LoadOptions['replace'] | undefined;
  readonly isOutdatedFine: boolean;
}

export function readArguments(args: readonly string[]): Wanted {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      'as-of': { type: 'string' },
      outdated: { type: 'boolean', default: false },
      prefix: { type: 'string' },
      replace: { type: 'boolean', default: false },
      'replace-most': { type: 'boolean', default: false },
      source: { type: 'string' },
    },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw usageError('name a file or a folder');
  const asOfMs = readInstant(values['as-of']);
  const isReplacing = values.replace || values['replace-most'];
  if (isReplacing && asOfMs === null)
    throw usageError(
      '--replace needs --as-of: rows that were streamed after it stay, whatever the file lacks',
    );
  return {
    paths: positionals.map(givenPath),
    source: values.source,
    prefix: values.prefix,
    asOfMs,
    replace: isReplacing ? { most: values['replace-most'] } : undefined,
    isOutdatedFine: values.outdated,
  };
}

function readInstant(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw usageError(`--as-of is an instant such as 2026-08-01T06:00:00Z, not "${text}"`);
  if (ms > Date.now()) throw usageError(`--as-of ${text} is still to come`);
  return ms;
}

/** All the files that are meant. @throws with every name that tells no source, before anything is loaded */
export async function filesOf({ paths, source, prefix, replace }: Wanted): Promise<SnapshotFile[]> {
  const found: TableFile[] = [];
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`there is no file or folder ${missing.join(', ')}`);
  for (const path of paths) {
    const state = await stat(path);
    if (!state.isDirectory()) found.push({ path, table: source ?? tableOf(path, prefix) ?? basename(path) });
    else if (source !== undefined)
      throw usageError(`--source tells what a file holds, and ${path} is a folder`);
    else found.push(...(await findTableFiles(path, prefix)));
  }
  const files = snapshotsOf(found);
  if (files.length === 0) throw new Error(`${paths.join(' ')} holds no <schema>.<table>.ndjson or .csv file`);
  const tables = files.map((file) => file.source.table);
  const twice = tables.find((table, index) => tables.indexOf(table) < index);
  if (replace !== undefined && twice !== undefined)
    throw new Error(
      `--replace takes one file a table: of several, each would remove the others' rows of ${twice}`,
    );
  return files;
}

/** When a file's rows were what they are: as stated, else no later than when it was last written to. */
export const timeOf = async ({ path }: SnapshotFile, { asOfMs }: Wanted): Promise<number> =>
  asOfMs ?? Math.min(Date.now(), Math.floor((await stat(path)).mtimeMs));
