import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { SourceRegistry } from '../../projections/projection.ts';
import { countMarks, type Version } from '../../projections/store/version.ts';
import type { GiveWay } from './build/give-way.ts';
import {
  allOf,
  CONCURRENT_PORTIONS,
  type DrainTotals,
  drainPortion,
  markedPortions,
  TAKE_OF_OTHERS,
} from './drain.ts';

/** How long to leave buckets to the projectors that hold them all. */
const LOOK_AGAIN_MS = 100;

export interface CatchUpOptions {
  /** Marked documents that may be left. */
  readonly atMost: number;
  /** A version that it need not get ahead of: when changes come in faster than they are taken up, no end would come. */
  readonly behind?: Version | null;
  /** How long to try at most. */
  readonly patienceMs?: number;
  /** To what is served; without it nothing else comes first. */
  readonly giveWay?: GiveWay;
  readonly signal?: AbortSignal | undefined;
  /** Told how many are left, again and again. */
  readonly onLeft?: ((marks: number) => void) | undefined;
}

/**
 * Works off the marks of one version of this code, beside the projectors that do so too, until few are left, or no
 * more than another version has, or time is up. What is served is left to them.
 */
export async function catchUp(
  pool: Pool,
  version: Version,
  registry: SourceRegistry,
  options: CatchUpOptions,
): Promise<void> {
  const { atMost, behind = null, patienceMs = Number.POSITIVE_INFINITY, signal } = options;
  const { giveWay = async () => false, onLeft = () => {} } = options;
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    signal?.throwIfAborted();
    const left = await countMarks(pool, version);
    onLeft(left);
    if (left <= atMost || performance.now() > giveUpAt) return;
    if (behind !== null && left <= (await countMarks(pool, behind))) return;
    const portions = await markedPortions(pool, [[version]]);
    const totals: DrainTotals = { marks: 0, changed: 0, unchanged: 0, removed: 0 };
    const work = async (): Promise<void> => {
      let isInTheWay = await giveWay(0);
      for (let portion = portions.pop(); portion !== undefined; portion = portions.pop()) {
        if (signal?.aborted || performance.now() > giveUpAt) return;
        const start = performance.now();
        // Much at a time costs less, but takes the processors from the projectors for longer.
        const taken = isInTheWay ? { ...portion, take: TAKE_OF_OTHERS } : portion;
        await drainPortion(pool, taken, registry, totals);
        isInTheWay = await giveWay(performance.now() - start);
      }
    };
    await allOf(Array.from({ length: CONCURRENT_PORTIONS }, work));
    if (totals.marks === 0) await pause(LOOK_AGAIN_MS, undefined, { signal });
  }
}
