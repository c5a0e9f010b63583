import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { PositionLost } from '../../workers/ingest/apply/position.ts';
import type { SnapshotFile } from '../../workers/ingest/decode-snapshot.ts';
import { type LoadedFile, type LoadOptions, loadSnapshot } from '../../workers/ingest/load-snapshot.ts';
import { isOutdated } from '../../workers/ingest/outdated.ts';
import { startProgress } from '../start/progress.ts';
import type { Command, Print } from './command.ts';
import { withPool } from './database.ts';
import { filesOf, readArguments, timeOf, type Wanted } from './load-arguments.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

async function requireNoneOutdated(
  pool: Pool,
  registry: Registry,
  files: readonly SnapshotFile[],
  wanted: Wanted,
): Promise<void> {
  if (wanted.isOutdatedFine) return;
  for (const file of files) {
    if (!(await isOutdated(pool, registry, file.source, await timeOf(file, wanted)))) continue;
    throw new Error(
      `${basename(file.path)} is older than deletes are remembered, and changes of ${file.source.table} were streamed: ` +
        'what was deleted since might come back; load a newer snapshot, or say --outdated',
    );
  }
}

interface LoadedLine extends Omit<LoadedFile, 'rows' | 'skipped'> {
  readonly file: string;
  readonly table: string;
  readonly unchanged: number;
  readonly loadedBefore: number;
}

const COLUMNS = [
  ...(['file', 'table', 'changed', 'unchanged', 'older'] as const),
  ...(['removed', 'deadLetters', 'loadedBefore'] as const),
];

const NOTHING: LoadedFile = {
  rows: 0,
  changed: 0,
  older: 0,
  deadLetters: 0,
  removed: 0,
  skipped: 0,
  isWhole: false,
};

/** Loads a file and tells `done` what was loaded, also where it fails. Its begin and its end are written down. */
async function loadFile(
  pool: Pool,
  registry: Registry,
  file: SnapshotFile,
  wanted: Wanted,
  options: LoadOptions,
  done: (line: LoadedLine) => void,
): Promise<void> {
  const { path, source } = file;
  const timeMs = await timeOf(file, wanted);
  const about = {
    actor: operator(),
    target: source.table,
    detail: {
      file: path,
      asOf: new Date(timeMs),
      epoch: registry.epochOf(source),
      replace: wanted.replace === undefined ? null : wanted.replace.most ? 'most' : 'up to half',
      outdated: wanted.isOutdatedFine,
    },
  };
  await recordAudit(pool, { ...about, action: 'load' });
  let loaded = NOTHING;
  let failure: string | null = null;
  const onLoaded = (soFar: LoadedFile) => {
    loaded = { ...soFar, isWhole: false };
  };
  try {
    loaded = await loadSnapshot(pool, registry, file, timeMs, { ...options, onLoaded });
  } catch (error) {
    failure = (error as Error).message;
    if (!(error instanceof PositionLost)) throw error;
    throw new Error(`${basename(path)} is being loaded by another process too; this one has left it to that`);
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

/** Loads file by file until all are loaded or a signal comes, and prints what was loaded, also where one fails. */
async function loadFiles(
  pool: Pool,
  registry: Registry,
  files: readonly SnapshotFile[],
  wanted: Wanted,
  print: Print,
): Promise<void> {
  const ending = new AbortController();
  const stop = () => ending.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const progress = startProgress(
    'Loading',
    sizes.reduce((sum, size) => sum + size, 0),
    'bytes',
  );
  const options: LoadOptions = {
    signal: ending.signal,
    onRead: (bytes) => progress.advance(bytes),
    isDated: wanted.asOfMs !== null,
    ...(wanted.replace === undefined ? {} : { replace: wanted.replace }),
  };
  const lines: LoadedLine[] = [];
  try {
    for (const file of files) {
      await loadFile(pool, registry, file, wanted, options, (line) => lines.push(line));
      if (ending.signal.aborted) break;
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    progress.stop();
    printTable(print, COLUMNS, lines);
  }
  requireSuccess(files, lines);
}

/** @throws where not all was loaded, or not all was sound */
function requireSuccess(files: readonly SnapshotFile[], lines: readonly LoadedLine[]): void {
  if (lines.length < files.length || lines.some(({ isWhole }) => !isWhole))
    throw new Error('stopped; the same command goes on where it was');
  const deadLetters = lines.reduce((sum, line) => sum + line.deadLetters, 0);
  if (deadLetters > 0)
    throw new Error(
      `${deadLetters} rows broke their contract and wait in the dead letters: npm run ops -- dead-letters list`,
    );
}

export const load: Command = {
  usage: [
    'load PATH... [--as-of INSTANT] [--source TABLE] [--prefix TOPIC_PREFIX] [--outdated]',
    'load PATH... --as-of INSTANT --replace|--replace-most',
  ],
  async run(args, print) {
    const wanted = readArguments(args);
    const files = await filesOf(wanted);
    await withPool(async (pool) => {
      const registry = await registerSources(pool);
      await requireNoneOutdated(pool, registry, files, wanted);
      await loadFiles(pool, registry, files, wanted, print);
    });
  },
};
