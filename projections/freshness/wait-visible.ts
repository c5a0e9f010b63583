import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type LogPosition, positionText } from './position.ts';
import {
  type Frontier,
  followPositions,
  type Look,
  type Progress,
  readLook,
  type Sight,
} from './visibility.ts';

interface Waited {
  /** Whether the effect of every position can be read now; `refused` where one is of a dead letter and has none. */
  readonly sight: Sight;
  readonly waitedMs: number;
}

/** Lets readers wait until records of the log have taken effect in what `pool` shows. */
export interface PositionWaiter {
  /**
   * Ends when it is known, when the time is up, or when the signal aborts; at once where too many wait. However short the
   * time is, the database is looked at once.
   */
  wait(positions: readonly LogPosition[], timeoutMs: number, signal?: AbortSignal): Promise<Waited>;
  /** Lets everyone go, and whoever comes later. */
  stop(): void;
}

/** Between two looks while someone waits; they share each look. */
const LOOK_EVERY_MS = 25;
/** After a look that failed. */
const RETRY_MS = 250;
const MOST_WAITING = 1_000;

interface Waiting {
  /** Whether a look has been taken for it. */
  isLookedFor: boolean;
  isDue: boolean;
  readonly progress: Progress;
  readonly settle: (sight: Sight) => void;
}

/** @param onFailure told of looks that fail; the waiting goes on */
export function positionWaiter(
  pool: Pool,
  onFailure: (error: unknown) => void = () => {},
  mostWaiting = MOST_WAITING,
): PositionWaiter {
  const waiting = new Set<Waiting>();
  const frontier: Frontier = { live: '', nextOffsets: new Map() };
  let isLooking = false;
  let isStopped = false;

  async function lookWhileNeeded(): Promise<void> {
    isLooking = true;
    while (waiting.size > 0) {
      let pauseMs = LOOK_EVERY_MS;
      const lookedFor = [...waiting];
      try {
        settleKnown(waiting, await readLook(pool, wantedPositions(lookedFor)));
      } catch (error) {
        onFailure(error);
        pauseMs = RETRY_MS;
      }
      for (const entry of lookedFor) {
        entry.isLookedFor = true;
        if (entry.isDue) entry.settle('not yet');
      }
      if (waiting.size > 0) await pause(pauseMs);
    }
    isLooking = false;
  }

  return {
    wait(positions, timeoutMs, signal) {
      const begunAt = performance.now();
      if (isStopped || waiting.size >= mostWaiting) return Promise.resolve({ sight: 'not yet', waitedMs: 0 });
      return new Promise((resolve) => {
        const giveUp = () => entry.settle('not yet');
        const timer = setTimeout(() => {
          entry.isDue = true;
          if (entry.isLookedFor) giveUp();
        }, timeoutMs);
        const entry: Waiting = {
          isLookedFor: false,
          isDue: false,
          progress: followPositions(positions, frontier),
          settle(sight) {
            waiting.delete(entry);
            clearTimeout(timer);
            signal?.removeEventListener('abort', giveUp);
            resolve({ sight, waitedMs: performance.now() - begunAt });
          },
        };
        signal?.addEventListener('abort', giveUp);
        waiting.add(entry);
        if (!isLooking) void lookWhileNeeded();
      });
    },
    stop() {
      isStopped = true;
      for (const { settle } of waiting) settle('not yet');
    },
  };
}

function wantedPositions(waiting: readonly Waiting[]): LogPosition[] {
  const wanted = waiting.flatMap(({ progress }) => progress.wants());
  return [...new Map(wanted.map((position) => [positionText(position), position])).values()];
}

function settleKnown(waiting: ReadonlySet<Waiting>, look: Look): void {
  for (const { progress, settle } of waiting) {
    const sight = progress.advance(look);
    if (sight !== 'not yet') settle(sight);
  }
}
