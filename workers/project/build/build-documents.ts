import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { documentTransaction } from '../../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../../projections/engine/projection.ts';
import { mirrorReader } from '../../../projections/engine/read-rows.ts';
import { copyDocuments } from '../../../projections/engine/store/copy-documents.ts';
import type { Version } from '../../../projections/engine/store/version.ts';
import type { GiveWay } from './give-way.ts';
import { claimRange, countLeft } from './ranges.ts';

/** Documents of a version, of all its builders together. */
export interface BuildProgress {
  readonly done: number;
  readonly total: number;
}

export interface DocumentsBuild {
  readonly projection: Projection;
  readonly version: Version;
  readonly registry: SourceRegistry;
  readonly total: number;
  readonly signal: AbortSignal;
  readonly giveWay: GiveWay;
  readonly onProgress: (progress: BuildProgress) => void;
  /** Called once per pause. */
  readonly onPause: () => void;
}

/** One range computes while another waits for the database. */
const CONCURRENT_RANGES = 2;
/** Polls for the last ranges of other builders, and for the end of a pause. */
const POLL_MS = { others: 50, paused: 500 };
const REPORT_EVERY_MS = 250;

/**
 * Builds the remaining documents of a version, concurrently with other builders. Resolves when all are stored.
 *
 * @throws the signal's reason or the error of a range, when the current ranges have ended
 */
export async function buildDocuments(pool: Pool, build: DocumentsBuild): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([build.signal, failed.signal]);
  const report = progressReport(pool, build);
  await report(true);
  const builders = Array.from({ length: CONCURRENT_RANGES }, () =>
    buildRanges(pool, { ...build, signal }, report).catch((error) => failed.abort(error)),
  );
  await Promise.all(builders);
  build.signal.throwIfAborted();
  failed.signal.throwIfAborted();
  await report(true);
}

async function buildRanges(pool: Pool, build: DocumentsBuild, report: () => Promise<void>): Promise<void> {
  let isPaused = false;
  for (;;) {
    build.signal.throwIfAborted();
    const start = performance.now();
    const outcome = await documentTransaction(pool, (client) => buildNext(client, build));
    if (outcome === 'built') {
      await report();
      await build.giveWay(performance.now() - start);
    } else if (outcome === 'paused') {
      if (!isPaused) build.onPause();
      await pause(POLL_MS.paused, undefined, { signal: build.signal });
    } else {
      if ((await countLeft(pool, build.version)) === 0) return;
      await pause(POLL_MS.others, undefined, { signal: build.signal });
    }
    isPaused = outcome === 'paused';
  }
}

async function buildNext(
  client: ClientBase,
  { projection, version, registry }: DocumentsBuild,
): Promise<'built' | 'paused' | 'none'> {
  const { rows } = await client.query<{ isPaused: boolean }>({
    name: 'is-build-paused',
    text: 'select paused_at is not null as "isPaused" from projection.version where id = $1',
    values: [version.id],
  });
  if (rows[0]?.isPaused) return 'paused';
  const keys = await claimRange(client, version);
  if (keys === null) return 'none';
  await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.delivery]);
  const projected = await projection.project(keys, mirrorReader(client, registry), registry);
  await copyDocuments(client, version, projected);
  return 'built';
}

/** Reports progress at most four times a second. */
function progressReport(pool: Pool, { version, total, onProgress }: DocumentsBuild) {
  let reportedAt = 0;
  return async (isDue = performance.now() - reportedAt > REPORT_EVERY_MS): Promise<void> => {
    if (!isDue) return;
    reportedAt = performance.now();
    onProgress({ done: total - (await countLeft(pool, version)), total });
  };
}
