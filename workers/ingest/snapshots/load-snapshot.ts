import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Pool } from 'pg';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import { adoptPosition, readPosition, type TopicPartition } from '../apply/position.ts';
import type { SnapshotContext } from '../decode/envelope.ts';
import type { RecordLimits } from '../record-limits.ts';
import { copySnapshot, isEmptySource } from './copy-snapshot.ts';
import { decodeSnapshot, oneAhead, type SnapshotFile } from './decode-snapshot.ts';
import { fileDigest } from './file-blocks.ts';
import { noteKeys, openReplacement, type Replacement, removeMissing } from './replace-missing.ts';

/** Lines loaded in one transaction. */
const CHUNK = 10_000;
const FILE_NAME = /^(?<table>[a-z_0-9]+\.[a-z_0-9]+)\.(?:ndjson|csv)(?:\.gz)?$/;

export interface LoadOptions {
  /** Stops the load after the current chunk. */
  readonly signal?: AbortSignal;
  /** Receives the number of bytes read from the file since its last call. */
  readonly onRead?: (bytes: number) => void;
  /** Receives the result so far, which stays loaded if the rest fails. */
  readonly onLoaded?: (soFar: SnapshotResult) => void;
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: RecordLimits;
  /** The caller stated the time of the snapshot: the same file with another time is another load. */
  readonly isDated?: boolean;
  /** The file has all rows: others are removed, but at most 5 % of them unless it has `expectedRows`. */
  readonly replace?: { readonly expectedRows?: number | undefined };
}

interface SnapshotLoad extends LoadOptions {
  /** When the snapshot was taken, in milliseconds since 1970; a later snapshot replaces an earlier one. */
  readonly timeMs: number;
}

export interface SnapshotResult {
  /** Rows newer than the stored ones. */
  readonly rows: number;
  /** Of these, those with other content than before. */
  readonly changed: number;
  /** Rows not newer than the stored ones, or than a later line of the file. */
  readonly older: number;
  readonly deadLetters: number;
  /** Removed rows, which the file lacks. */
  readonly removed: number;
  /** Lines that an earlier run had loaded. */
  readonly skipped: number;
  /** False if the load was stopped. */
  readonly isWhole: boolean;
}

/** A file and its table. */
export interface TableFile {
  readonly path: string;
  readonly table: string;
}

/** The table in the name of a snapshot file, with or without the topic prefix; undefined for other files. */
export function tableOf(path: string, prefix?: string): string | undefined {
  const name = basename(path);
  const rest = prefix !== undefined && name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name;
  return FILE_NAME.exec(rest)?.groups?.table;
}

/** The files of a folder with names of snapshots, sorted. */
export async function findTableFiles(folder: string, prefix?: string): Promise<TableFile[]> {
  const names = (await readdir(folder)).sort();
  return names.flatMap((name) => {
    const table = tableOf(name, prefix);
    return table === undefined ? [] : [{ path: join(folder, name), table }];
  });
}

/** The snapshot files of a folder, sorted. @throws if a file is named like a snapshot of an unknown table */
export const findSnapshots = async (folder: string): Promise<SnapshotFile[]> =>
  snapshotsOf(await findTableFiles(folder));

/** @throws with all files of unknown tables */
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
 * Loads one snapshot file: one row or change event a line, or rows as CSV. A row of the file never replaces a streamed
 * one. The position in the file is stored with the rows, so an interrupted load continues there, and a file with the
 * content of a loaded one is skipped.
 *
 * @throws if the file is unreadable, or if it is written to or its source's epoch is raised during the load
 */
export async function loadSnapshot(
  pool: Pool,
  registry: Registry,
  file: SnapshotFile,
  options: SnapshotLoad,
): Promise<SnapshotResult> {
  const { source, path } = file;
  const { timeMs, replace, signal } = options;
  const epoch = registry.epochOf(source);
  const state = await fileState(path);
  const topicOf = (...file: string[]) => [...file, ...variantOf(epoch, options)].join('#');
  const topic = topicOf(source.table, await fileDigest(path));
  const topicPartition: TopicPartition = { group: 'snapshot', topic, partition: 0 };
  if (replace === undefined) await adoptPosition(pool, topicPartition, topicOf(basename(path), state));
  const replacement = replace === undefined ? null : await openReplacement(pool, topicPartition);
  const context: SnapshotContext = { prefix: '', epoch: () => epoch, timeMs };
  const load: Load = { pool, registry, file, topicPartition, replacement, context };
  const loaded = await loadLines(load, options);
  if (!loaded.isWhole || replacement?.isFinished) return loaded;
  if ((await fileState(path)) !== state)
    throw new Error(`${basename(path)} was written to while it was loaded; load it again`);
  if (replacement === null || replace === undefined) return loaded;
  const removal = {
    ...{ source, topicPartition, asOfMs: timeMs, signal },
    expectedRows: replace.expectedRows,
  };
  return { ...loaded, ...(await removeMissing(pool, registry, replacement, removal)) };
}

/** Shows whether the file is written to. */
async function fileState(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size}@${Math.floor(mtimeMs)}`;
}

/** Distinguishes loads of one file that do not share a position. */
function variantOf(epoch: number, { timeMs, isDated = false, replace }: SnapshotLoad): string[] {
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
  readonly topicPartition: TopicPartition;
  readonly replacement: Replacement | null;
  readonly context: SnapshotContext;
}

async function loadLines(
  load: Load,
  { signal, onRead, onLoaded, limits }: LoadOptions,
): Promise<SnapshotResult> {
  const { pool, registry, file, topicPartition, replacement, context } = load;
  const skipped = (await readPosition(pool, topicPartition)) ?? 0;
  const totals = { rows: 0, changed: 0, older: 0, deadLetters: 0, removed: 0, skipped, isWhole: true };
  if (replacement?.isFinished) return totals;
  let position = skipped === 0 ? null : skipped;
  let canCopy = await isEmptySource(pool, file.source, registry);
  for await (const chunk of oneAhead(decodeSnapshot(file, context, { from: skipped, size: CHUNK, onRead }))) {
    if (signal?.aborted) return { ...totals, isWhole: false };
    const to = (chunk.at(-1)?.record.offset ?? 0) + 1;
    const batch = { topicPartition, records: chunk, from: position, to, limits };
    if (replacement !== null) await noteKeys(pool, replacement, chunk);
    const copied = canCopy ? await copySnapshot(pool, registry, batch) : null;
    canCopy = copied !== null;
    const done = copied ?? (await ingestBatch(pool, registry, batch));
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

/** The rows loaded so far belong to a past epoch, so the whole file must be loaded again. */
function requireSameEpoch({ registry, file: { source, path }, context }: Load): void {
  if (registry.epochOf(source) !== context.epoch(source))
    throw new Error(
      `the epoch of ${source.table} was raised while ${basename(path)} was loaded; load it again`,
    );
}
