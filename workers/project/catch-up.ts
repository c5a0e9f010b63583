import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { SourceRegistry } from '../../projections/engine/projection.ts';
import { countMarks, type Version } from '../../projections/engine/store/version.ts';
import type { GiveWay } from './build/give-way.ts';
import { type DrainTotals, markedBatches, projectBatches } from './drain.ts';

/** Pause while other projectors hold all buckets. */
const POLL_MS = 100;

export interface CatchUpOptions {
  /** Marked documents that may be left. */
  readonly maxLeft: number;
  /** Catching up with this version is enough: it would never end while changes arrive faster than they are projected. */
  readonly behind?: Version | null;
  readonly timeoutMs?: number;
  /** Rests while served versions lag. */
  readonly giveWay?: GiveWay;
  readonly signal?: AbortSignal | undefined;
  /** Called with the marks that are left, at the start of each round. */
  readonly onLeft?: ((marks: number) => void) | undefined;
}

/**
 * Projects the marked documents of one version of this code, concurrently with projectors that do the same, until few are
 * left, or no more than another version has, or time is up.
 */
export async function catchUp(
  pool: Pool,
  version: Version,
  registry: SourceRegistry,
  options: CatchUpOptions,
): Promise<void> {
  const { maxLeft, behind = null, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const { giveWay = async () => {}, onLeft = () => {} } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const left = await countMarks(pool, version);
    onLeft(left);
    if (left <= maxLeft || performance.now() > deadline) return;
    if (behind !== null && left <= (await countMarks(pool, behind))) return;
    const { served: batches } = await markedBatches(pool, [[version]]);
    const totals: DrainTotals = { marks: 0, changed: 0, unchanged: 0, removed: 0 };
    await giveWay(0);
    await projectBatches(pool, batches, registry, {
      totals,
      isOver: () => signal?.aborted === true || performance.now() > deadline,
      onBatch: giveWay,
    });
    if (totals.marks === 0) await pause(POLL_MS, undefined, { signal });
  }
}
