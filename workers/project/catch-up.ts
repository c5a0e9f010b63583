import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { SourceRegistry } from '../../projections/engine/projection.ts';
import { countMarks, type Version, type VersionGroup } from '../../projections/engine/store/version.ts';
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
  /** Counts what is left, after each batch; default: all marked documents of the version, counted less often. */
  readonly countLeft?: () => Promise<number>;
  /** Rests while served versions lag. */
  readonly giveWay?: GiveWay;
  readonly signal?: AbortSignal | undefined;
  /** Called with the marks that are left, at the start of each round. */
  readonly onLeft?: ((marks: number) => void) | undefined;
}

/**
 * Projects the marked documents of one version of this code, concurrently with projectors that do the same, until few are
 * left, or no more than another version has, or time is up. Writes them to the other versions of the group too.
 */
export async function catchUp(
  pool: Pool,
  versions: VersionGroup,
  registry: SourceRegistry,
  options: CatchUpOptions,
): Promise<void> {
  const [version] = versions;
  const { maxLeft, behind = null, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const { countLeft, giveWay = async () => {}, onLeft = () => {} } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const left = await (countLeft?.() ?? countMarks(pool, version));
    onLeft(left);
    if (left <= maxLeft || performance.now() > deadline) return;
    if (behind !== null && left <= (await countMarks(pool, behind))) return;
    const { served: batches } = await markedBatches(pool, [versions]);
    const totals: DrainTotals = { marks: 0, changed: 0, unchanged: 0, removed: 0 };
    let isDone = false;
    await giveWay(0);
    await projectBatches(pool, batches, registry, {
      totals,
      isOver: () => isDone || signal?.aborted === true || performance.now() > deadline,
      async onBatch(workedMs) {
        await giveWay(workedMs);
        if (countLeft !== undefined) isDone = (await countLeft()) <= maxLeft;
      },
    });
    if (totals.marks === 0) await pause(POLL_MS, undefined, { signal });
  }
}
