import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Pool } from 'pg';
import type { Registry } from '../../projections/registry.ts';
import type { Source } from '../../projections/sources/contract.ts';
import { sourceByTable } from '../../projections/sources/index.ts';
import { type Place, readPosition } from './apply/position.ts';
import { copySnapshot, isUntouched } from './copy-snapshot.ts';
import { type DecodeContext, decodeSnapshotLine, type IncomingRecord } from './decode/envelope.ts';
import { decodeLines } from './decode-lines.ts';
import { type DecodedRecord, ingestBatch } from './ingest-batch.ts';
import { oneAhead } from './one-ahead.ts';

/** Lines loaded in one transaction. */
const CHUNK = 10_000;
const FILE_NAME = /^(?<table>[a-z_0-9]+\.[a-z_0-9]+)\.ndjson(?<gz>\.gz)?$/;

/** A snapshot file and the source it holds. */
export interface SnapshotFile {
  readonly path: string;
  readonly source: Source;
}

export interface LoadedFile {
  readonly rows: number;
  readonly deadLetters: number;
  /** Lines that an earlier run had loaded already. */
  readonly skipped: number;
}

/**
 * The snapshot files of a folder, by table.
 *
 * @throws when a file is named like a snapshot but no source has its name
 */
export async function findSnapshots(folder: string): Promise<SnapshotFile[]> {
  const names = (await readdir(folder)).sort();
  return names.flatMap((name) => {
    const table = FILE_NAME.exec(name)?.groups?.table;
    if (table === undefined) return [];
    const source = sourceByTable.get(table);
    if (source === undefined)
      throw new Error(`${name}: no source is named ${table}; see \`npm run ops -- sources list\``);
    return [{ path: join(folder, name), source }];
  });
}

/**
 * Loads one snapshot file: a row or a change event a line. A row of the file never replaces a streamed one. The
 * position in the file is stored with the rows, so a load that broke off goes on where it was, and a file
 * that is loaded already is passed over.
 *
 * @param snapshotTimeMs when the snapshot was taken; a later snapshot replaces an earlier one
 */
export async function loadSnapshot(
  pool: Pool,
  registry: Registry,
  { path, source }: SnapshotFile,
  snapshotTimeMs: number,
  onProgress: (lines: number) => void = () => {},
): Promise<LoadedFile> {
  const context: DecodeContext = { prefix: '', epoch: registry.epochOf };
  const { size, mtimeMs } = await stat(path);
  const place: Place = {
    group: 'snapshot',
    topic: `${basename(path)}#${size}@${Math.floor(mtimeMs)}`,
    partition: 0,
  };
  const skipped = (await readPosition(pool, place)) ?? 0;
  const totals = { rows: 0, deadLetters: 0, skipped };
  let position = skipped === 0 ? null : skipped;
  let canCopy = await isUntouched(pool, source, registry);
  const chunks = decodeLines(path, skipped, CHUNK, (value, offset) =>
    decodeLine(source, value, offset, context, snapshotTimeMs),
  );
  for await (const chunk of oneAhead(chunks)) {
    const to = (chunk.at(-1)?.record.offset ?? 0) + 1;
    const copied = canCopy ? await copySnapshot(pool, registry, place, chunk, position, to) : null;
    canCopy = copied !== null;
    const done = copied ?? (await ingestBatch(pool, registry, place, chunk, position, to));
    position = to;
    totals.rows += done.applied;
    totals.deadLetters += done.deadLetters;
    onProgress(chunk.length);
  }
  return totals;
}

function decodeLine(
  source: Source,
  value: string,
  offset: number,
  context: DecodeContext,
  snapshotTimeMs: number,
): DecodedRecord {
  const record: IncomingRecord = {
    topic: source.table,
    key: null,
    value,
    headers: {},
    offset,
    timestamp: null,
  };
  return {
    record,
    decoded: decodeSnapshotLine(source, record, context, snapshotTimeMs),
  };
}
