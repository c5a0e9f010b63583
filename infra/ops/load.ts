import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { PositionLost } from '../../workers/ingest/apply/position.ts';
import { recordLimits } from '../../workers/ingest/record-limits.ts';
import type { SnapshotFile } from '../../workers/ingest/snapshots/decode-snapshot.ts';
import {
  type LoadOptions,
  loadSnapshot,
  type SnapshotResult,
} from '../../workers/ingest/snapshots/load-snapshot.ts';
import { isOutdated } from '../../workers/ingest/snapshots/outdated.ts';
import { listUndoable, UNDO_DAYS, undoReplacement } from '../../workers/ingest/snapshots/undo-replacement.ts';
import { startProgress } from '../start/progress.ts';
import {
  type AddCommand,
  type Print,
  reason,
  source as sourceOf,
  usageError,
  wholeNumber,
} from './command.ts';
import { givenPath, operator, readOpsConfig } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';
import { filesOf, type LoadRequest, manifestRows, timeOf } from './snapshot-files.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

interface LoadContext {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly request: LoadRequest;
}

async function requireNoneOutdated(
  { pool, registry, request }: LoadContext,
  files: readonly SnapshotFile[],
): Promise<void> {
  if (request.allowsOutdated) return;
  for (const file of files) {
    if (!(await isOutdated(pool, registry, { source: file.source, timeMs: await timeOf(file, request) })))
      continue;
    throw new Error(
      `${basename(file.path)} is older than the retention of deletes, and changes of ${file.source.table} were streamed: ` +
        'rows that were deleted since might come back; load a newer snapshot, or add --outdated',
    );
  }
}

interface LoadedLine extends Omit<SnapshotResult, 'rows' | 'skipped'> {
  readonly file: string;
  readonly table: string;
  readonly unchanged: number;
  readonly loadedBefore: number;
}

const COLUMNS = [
  ...(['file', 'table', 'changed', 'unchanged', 'older'] as const),
  ...(['removed', 'deadLetters', 'loadedBefore'] as const),
];

const NOTHING: SnapshotResult = {
  rows: 0,
  changed: 0,
  older: 0,
  deadLetters: 0,
  removed: 0,
  skipped: 0,
  isWhole: false,
};

/** Loads a file and passes what was loaded to `done`, even if it fails. Writes start and end to the audit trail. */
async function loadFile(
  { pool, registry, request }: LoadContext,
  file: SnapshotFile,
  options: LoadOptions,
  { done }: { done(line: LoadedLine): void },
): Promise<void> {
  const { path, source } = file;
  const timeMs = await timeOf(file, request);
  const about = {
    actor: operator(),
    target: source.table,
    detail: {
      file: path,
      asOf: new Date(timeMs),
      epoch: registry.epochOf(source),
      replace: options.replace ?? null,
      outdated: request.allowsOutdated,
    },
  };
  await recordAudit(pool, { ...about, action: 'load' });
  let loaded = NOTHING;
  let failure: string | null = null;
  const onLoaded = (soFar: SnapshotResult) => {
    loaded = { ...soFar, isWhole: false };
  };
  try {
    loaded = await loadSnapshot(pool, registry, file, { ...options, timeMs, onLoaded });
  } catch (error) {
    failure = (error as Error).message;
    if (!(error instanceof PositionLost)) throw error;
    throw new Error(`another process is loading ${basename(path)} too; this one has stopped`);
  } finally {
    const { rows, skipped, ...counts } = loaded;
    done({
      ...counts,
      file: basename(path),
      table: source.table,
      unchanged: rows - loaded.changed,
      loadedBefore: skipped,
    });
    const detail = { ...about.detail, ...loaded, failure };
    await recordAudit(pool, { ...about, action: 'load ended', detail });
  }
}

/** Loads file by file until all are loaded or a signal arrives. Prints what was loaded, even if a file fails. */
async function loadFiles(context: LoadContext, files: readonly SnapshotFile[], print: Print): Promise<void> {
  const { asOfMs, replace } = context.request;
  // Before anything is loaded, because a manifest may not fit.
  const replacements = new Map<SnapshotFile, LoadOptions['replace']>();
  if (replace !== undefined)
    for (const file of files)
      replacements.set(file, { expectedRows: replace.expectedRows ?? (await manifestRows(file)) });
  const ending = new AbortController();
  const stop = () => ending.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const progress = startProgress('Loading', { total, unit: 'bytes' });
  const options: LoadOptions = {
    signal: ending.signal,
    onRead: (bytes) => progress.advance(bytes),
    isDated: asOfMs !== undefined,
    limits: recordLimits(readOpsConfig()),
  };
  const lines: LoadedLine[] = [];
  try {
    for (const file of files) {
      const ofFile = { ...options, ...(replace && { replace: replacements.get(file) ?? replace }) };
      await loadFile(context, file, ofFile, { done: (line) => lines.push(line) });
      if (ending.signal.aborted) break;
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    progress.stop();
    printTable(print, COLUMNS, lines);
  }
  requireSuccess(files, lines);
}

/** @throws if not everything was loaded, or rows broke their contract */
function requireSuccess(files: readonly SnapshotFile[], lines: readonly LoadedLine[]): void {
  if (lines.length < files.length || lines.some(({ isWhole }) => !isWhole))
    throw new Error('stopped; the same command continues from here');
  const deadLetters = lines.reduce((sum, line) => sum + line.deadLetters, 0);
  if (deadLetters > 0)
    throw new Error(
      `${deadLetters} rows broke their contract and became dead letters: npm run ops -- dead-letters list`,
    );
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function pastInstant(text: string): number {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw usageError('It must be an instant such as 2026-08-01T06:00:00Z.');
  if (ms > Date.now()) throw usageError('It is in the future.');
  return ms;
}

async function undo(table: string | undefined, why: string | undefined, print: Print): Promise<void> {
  if (table === undefined) {
    const found = await withPool(listUndoable);
    return printTable(print, ['table', 'removedAt', 'rows'], found);
  }
  if (why === undefined) throw usageError('an undo needs a reason: --why TEXT');
  const undone = await withPool(async (pool) =>
    undoReplacement(pool, await registerSources(pool), sourceOf(table), { actor: operator(), why }),
  );
  if (undone === null)
    throw new Error(`no load and no sweep has removed rows of ${table} in the last ${UNDO_DAYS} days`);
  print(`restored\t${undone.restored}`);
  print(`changed since\t${undone.changedSince}`);
}

export const addLoad: AddCommand = (program, print) => {
  const load = program
    .command('load')
    .description('Load snapshot files of tables. Interrupted, it continues with the same command.')
    .argument(
      '<path...>',
      'files, or folders of files, named <schema>.<table>.ndjson or .csv, with or without .gz',
    )
    .option(
      '--as-of <instant>',
      'when the snapshots were taken (default: when each file was modified)',
      pastInstant,
    )
    .option('--source <table>', 'the table of the files, if they are not named after it')
    .option('--prefix <topic_prefix>', 'prefix before the tables in the names of the files')
    .option('--outdated', 'load snapshots that are older than the retention of deletes')
    .option('--replace', 'remove rows that a file lacks, at most 5 % of the table')
    .option(
      '--expect-rows <n>',
      'with --replace: remove however many, if the file has so many rows (default: as <file>.manifest.json states)',
      wholeNumber(),
    )
    .action(async (paths, { asOf, source, prefix, outdated = false, replace, expectRows }) => {
      if (expectRows !== undefined && !replace) throw usageError('--expect-rows goes with --replace');
      if (replace && asOf === undefined)
        throw usageError(
          '--replace needs --as-of: rows that were streamed after it stay even if the file lacks them',
        );
      const request: LoadRequest = {
        paths: paths.map(givenPath),
        source,
        prefix,
        asOfMs: asOf,
        replace: replace ? { expectedRows: expectRows } : undefined,
        allowsOutdated: outdated,
      };
      const files = await filesOf(request);
      if (expectRows !== undefined && files.length > 1)
        throw usageError('--expect-rows is of one file; of several, write a manifest for each');
      await withPool(async (pool) => {
        const context = { pool, registry: await registerSources(pool), request };
        await requireNoneOutdated(context, files);
        await loadFiles(context, files, print);
      });
    });
  load
    .command('undo')
    .description(
      `Restore the rows that the newest --replace or sweep of a table removed, for ${UNDO_DAYS} days.`,
    )
    .argument('[table]', 'table (default: list what can be undone)')
    .option('--why <text>', 'reason for the audit trail', reason)
    .action((table, { why }) => undo(table, why, print));
};
