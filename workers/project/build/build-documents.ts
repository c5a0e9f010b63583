import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { documentTransaction } from '../../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../../projections/projection.ts';
import type { Version } from '../../../projections/store/version.ts';
import { buildRange } from './build-range.ts';
import type { GiveWay } from './give-way.ts';
import { countLeft, takeRange } from './ranges.ts';

/** Documents of a version, by whomever they were built. */
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
  /** Told once each time that the build is found to be paused. */
  readonly onPause: () => void;
}

/** One range computes while another waits for the database. */
const CONCURRENT_RANGES = 2;
/** How long to wait for another builder's last ranges, and for the end of a pause. */
const LOOK_AGAIN_MS = { others: 50, paused: 500 };
const REPORT_EVERY_MS = 250;

/**
 * Builds what is left of a version, beside whoever else does. Once this returns, all of it is there.
 *
 * @throws the signal's reason, or what made a range fail, when the ranges under way have come to their end
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
      await pause(LOOK_AGAIN_MS.paused, undefined, { signal: build.signal });
    } else {
      if ((await countLeft(pool, build.version)) === 0) return;
      await pause(LOOK_AGAIN_MS.others, undefined, { signal: build.signal });
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
  const keys = await takeRange(client, version);
  if (keys === null) return 'none';
  await buildRange(client, projection, version, keys, registry);
  return 'built';
}

/** Tells the progress of all builders together, now and then. */
function progressReport(pool: Pool, { version, total, onProgress }: DocumentsBuild) {
  let reportedAt = 0;
  return async (isDue = performance.now() - reportedAt > REPORT_EVERY_MS): Promise<void> => {
    if (!isDue) return;
    reportedAt = performance.now();
    onProgress({ done: total - (await countLeft(pool, version)), total });
  };
}
