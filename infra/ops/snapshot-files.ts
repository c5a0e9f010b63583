import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { sourceByTable } from '../../projections/contracts/index.ts';
import type { SnapshotFile } from '../../workers/ingest/snapshots/decode-snapshot.ts';
import { fileDigest } from '../../workers/ingest/snapshots/file-blocks.ts';
import {
  findTableFiles,
  type LoadOptions,
  snapshotsOf,
  type TableFile,
  tableOf,
} from '../../workers/ingest/snapshots/load-snapshot.ts';
import { usageError } from './command.ts';

/** What to load, and how. */
export interface LoadRequest {
  readonly paths: readonly string[];
  readonly source: string | undefined;
  readonly prefix: string | undefined;
  /** When the snapshots were taken; default: the modification time of each file. */
  readonly asOfMs: number | undefined;
  readonly replace: LoadOptions['replace'] | undefined;
  readonly allowsOutdated: boolean;
}

/** The requested files. @throws with every name that is not of a source, before anything is loaded */
export async function filesOf({ paths, source, prefix, replace }: LoadRequest): Promise<SnapshotFile[]> {
  const found: { readonly path: string; readonly table: string | undefined }[] = [];
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0) throw usageError(`there is no file or folder ${missing.join(', ')}`);
  for (const path of paths) {
    const state = await stat(path);
    if (!state.isDirectory()) found.push({ path, table: source ?? tableOf(path, prefix) });
    else if (source !== undefined)
      throw usageError(`--source names the table of a file, and ${path} is a folder`);
    else found.push(...(await findTableFiles(path, prefix)));
  }
  const faults = found.flatMap(({ path, table }) => faultOf(path, table) ?? []);
  if (faults.length > 0) throw usageError(faults.join('\n'));
  const files = snapshotsOf(found as TableFile[]);
  if (files.length === 0)
    throw usageError(`${paths.join(' ')} holds no <schema>.<table>.ndjson or .csv file`);
  const tables = files.map((file) => file.source.table);
  const twice = tables.find((table, index) => tables.indexOf(table) < index);
  if (replace !== undefined && twice !== undefined)
    throw new Error(
      `--replace takes one file a table: of several, each would remove the others' rows of ${twice}`,
    );
  return files;
}

/**
 * The number of rows that the manifest of a file states: `<file>.manifest.json` with `{"rows": N, "sha256": "…"}`.
 *
 * @returns undefined without a manifest
 * @throws if the manifest cannot be read, or is of another content
 */
export async function manifestRows({ path }: SnapshotFile): Promise<number | undefined> {
  const manifest = `${path}.manifest.json`;
  if (!existsSync(manifest)) return undefined;
  let stated: unknown;
  try {
    stated = JSON.parse(await readFile(manifest, 'utf8'));
  } catch (cause) {
    throw new Error(`${basename(manifest)} is no JSON`, { cause });
  }
  if (!Value.Check(Manifest, stated))
    throw new Error(
      `${basename(manifest)} must hold {"rows": <number of rows>, "sha256": "<64 hex digits>"}`,
    );
  if (stated.sha256.toLowerCase() !== (await fileDigest(path)))
    throw new Error(
      `${basename(path)} has another digest than its manifest states: it is incomplete or was changed`,
    );
  return stated.rows;
}

const Manifest = Type.Object({
  rows: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
});

/** Why a file belongs to no source; null if it belongs to one. @param table undefined if its name is that of no table */
export function faultOf(path: string, table: string | undefined): string | null {
  if (table === undefined)
    return `${basename(path)} is not named after a table as <schema>.<table>.ndjson or .csv, with or without .gz; name the table with --source`;
  return sourceByTable.has(table)
    ? null
    : `${basename(path)}: no source is called "${table}"; see: sources list`;
}

/** When the snapshot of a file was taken: as requested, else when the file was last modified. */
export const timeOf = async ({ path }: SnapshotFile, { asOfMs }: LoadRequest): Promise<number> =>
  asOfMs ?? Math.min(Date.now(), Math.floor((await stat(path)).mtimeMs));
