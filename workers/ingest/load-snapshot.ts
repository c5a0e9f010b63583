import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Pool } from 'pg';
import type { Registry } from '../../projections/registry.ts';
import { sourceByTable } from '../../projections/sources/index.ts';
import { type Place, readPosition } from './apply/position.ts';
import { copySnapshot, isUntouched } from './copy-snapshot.ts';
import { decodeSnapshot, type SnapshotContext, type SnapshotFile } from './decode-snapshot.ts';
import { ingestBatch } from './ingest-batch.ts';
import { oneAhead } from './one-ahead.ts';
import { noteKeys, openReplacement, type Replacement, removeMissing } from './replace-missing.ts';

/** Lines loaded in one transaction. */
const CHUNK = 10_000;
const FILE_NAME = /^(?<table>[a-z_0-9]+\.[a-z_0-9]+)\.(?:ndjson|csv)(?:\.gz)?$/;

export interface LoadOptions {
  /** Stops the load after the chunk in hand. */
  readonly signal?: AbortSignal;
  /** Told how many more bytes of the file have been read. */
  readonly onRead?: (bytes: number) => void;
  /** Told what is loaded so far, which stays loaded if the rest fails. */
  readonly onLoaded?: (soFar: LoadedFile) => void;
  /** The time of the snapshot was stated: the same file with another time is another load. */
  readonly isDated?: boolean;
  /** The file holds all rows: those that it lacks are removed, though not more than half of them unless `most`. */
  readonly replace?: { readonly most: boolean };
}

export interface LoadedFile {
  /** Rows that are newer than what was stored. */
  readonly rows: number;
  /** Of these, how many have another content than before. */
  readonly changed: number;
  /** Rows that were not newer than what was stored, or than a later line of the file. */
  readonly older: number;
  readonly deadLetters: number;
  /** Rows that the file lacks and that are gone now. */
  readonly removed: number;
  /** Lines that an earlier run had loaded already. */
  readonly skipped: number;
  /** Whether all is done; not where it was stopped. */
  readonly isWhole: boolean;
}

/** A file and the table that it holds. */
export interface TableFile {
  readonly path: string;
  readonly table: string;
}

/** The table that a snapshot file is named after, perhaps behind a prefix as in a topic; undefined for other files. */
export function tableOf(path: string, prefix?: string): string | undefined {
  const name = basename(path);
  const rest = prefix !== undefined && name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name;
  return FILE_NAME.exec(rest)?.groups?.table;
}

/** The files of a folder that are named like snapshots, by name. */
export async function findTableFiles(folder: string, prefix?: string): Promise<TableFile[]> {
  const names = (await readdir(folder)).sort();
  return names.flatMap((name) => {
    const table = tableOf(name, prefix);
    return table === undefined ? [] : [{ path: join(folder, name), table }];
  });
}

/** The snapshot files of a folder, by name. @throws when files are named like snapshots but no source has their name */
export const findSnapshots = async (folder: string): Promise<SnapshotFile[]> =>
  snapshotsOf(await findTableFiles(folder));

/** @throws with every file whose table is no source */
export function snapshotsOf(files: readonly TableFile[]): SnapshotFile[] {
  const unknown = files.filter(({ table }) => !sourceByTable.has(table));
  if (unknown.length > 0) {
    const lines = unknown.map(({ path, table }) => `${basename(path)}: no source is named ${table}`);
    throw new Error(`${lines.join('\n')}\nsee \`npm run ops -- sources list\``);
  }
  return files.flatMap(({ path, table }) => {
    const source = sourceByTable.get(table);
    return source === undefined ? [] : [{ path, source }];
  });
}

/**
 * Loads one snapshot file: a row or a change event a line, or rows as CSV. A row of the file never replaces a streamed
 * one. The position in the file is stored with the rows, so a load that broke off goes on where it was, and a file
 * that is loaded already is passed over.
 *
 * @param snapshotTimeMs when the snapshot was taken; a later snapshot replaces an earlier one
 * @throws when the file cannot be read to its end, or is written to or its source's epoch raised meanwhile
 */
export async function loadSnapshot(
  pool: Pool,
  registry: Registry,
  file: SnapshotFile,
  snapshotTimeMs: number,
  options: LoadOptions = {},
): Promise<LoadedFile> {
  const { source, path } = file;
  const { replace, signal } = options;
  const epoch = registry.epochOf(source);
  const state = await fileState(path);
  const topic = [basename(path), state, ...variantOf(epoch, snapshotTimeMs, options)].join('#');
  const place: Place = { group: 'snapshot', topic, partition: 0 };
  const replacement = replace === undefined ? null : await openReplacement(pool, place);
  const context: SnapshotContext = { prefix: '', epoch: () => epoch, timeMs: snapshotTimeMs };
  const load: Load = { pool, registry, file, place, replacement, context };
  const loaded = await loadLines(load, options);
  if (!loaded.isWhole || replacement?.isFinished) return loaded;
  if ((await fileState(path)) !== state)
    throw new Error(`${basename(path)} was written to while it was loaded; load it again`);
  if (replacement === null || replace === undefined) return loaded;
  const removal = { source, place, asOfMs: snapshotTimeMs, most: replace.most, signal };
  return { ...loaded, ...(await removeMissing(pool, registry, replacement, removal)) };
}

/** The file as it is now: another size or time makes it another file. */
async function fileState(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size}@${Math.floor(mtimeMs)}`;
}

/** What makes two loads of one file different: what one has read then says nothing of the other. */
function variantOf(epoch: number, timeMs: number, { isDated = false, replace }: LoadOptions): string[] {
  const variant: string[] = [];
  if (epoch > 0) variant.push(`epoch ${epoch}`);
  if (isDated) variant.push(new Date(timeMs).toISOString());
  if (replace !== undefined) variant.push('replacing');
  return variant;
}

interface Load {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly file: SnapshotFile;
  readonly place: Place;
  readonly replacement: Replacement | null;
  readonly context: SnapshotContext;
}

async function loadLines(load: Load, { signal, onRead, onLoaded }: LoadOptions): Promise<LoadedFile> {
  const { pool, registry, file, place, replacement, context } = load;
  const skipped = (await readPosition(pool, place)) ?? 0;
  const totals = { rows: 0, changed: 0, older: 0, deadLetters: 0, removed: 0, skipped, isWhole: true };
  if (replacement?.isFinished) return totals;
  let position = skipped === 0 ? null : skipped;
  let canCopy = await isUntouched(pool, file.source, registry);
  for await (const chunk of oneAhead(decodeSnapshot(file, skipped, CHUNK, context, onRead))) {
    if (signal?.aborted) return { ...totals, isWhole: false };
    const to = (chunk.at(-1)?.record.offset ?? 0) + 1;
    if (replacement !== null) await noteKeys(pool, replacement, chunk);
    const copied = canCopy ? await copySnapshot(pool, registry, place, chunk, position, to) : null;
    canCopy = copied !== null;
    const done = copied ?? (await ingestBatch(pool, registry, place, chunk, position, to));
    requireSameEpoch(load);
    position = to;
    totals.rows += done.applied;
    totals.changed += done.changed;
    totals.deadLetters += done.deadLetters;
    totals.older += chunk.length - done.applied - done.deadLetters;
    onLoaded?.({ ...totals });
  }
  return totals;
}

/** What was loaded before belongs to an epoch that is over, so the file is to be loaded as a whole again. */
function requireSameEpoch({ registry, file: { source, path }, context }: Load): void {
  if (registry.epochOf(source) !== context.epoch(source))
    throw new Error(
      `the epoch of ${source.table} was raised while ${basename(path)} was loaded; load it again`,
    );
}
