import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { positionText, type RecordPosition } from './position.ts';
import {
  type Frontier,
  followPositions,
  type PositionOutcome,
  type PositionTracker,
  readVisibility,
  type VisibilityPoll,
} from './visibility.ts';

interface WaitResult {
  /** Whether every change can be read now; `dead letter` if one of the records is one. */
  readonly outcome: PositionOutcome;
  readonly waitedMs: number;
}

/** Lets readers wait until records of the log are visible in the database behind `pool`. */
export interface PositionWaiter {
  /**
   * Resolves when the outcome is certain, after `timeoutMs`, or when the signal aborts; immediately if too many readers wait.
   * It polls the database at least once, however short the time-out is.
   */
  wait(positions: readonly RecordPosition[], timeoutMs: number, signal?: AbortSignal): Promise<WaitResult>;
  /** Ends all waits; later ones end immediately. */
  stop(): void;
}

/** Between two polls, which all readers share. */
const POLL_EVERY_MS = 25;
/** After a failed poll. */
const RETRY_MS = 250;
const MAX_WAITERS = 1_000;

interface Waiter {
  /** Whether a poll included its positions. */
  isPolled: boolean;
  isDue: boolean;
  readonly tracker: PositionTracker;
  readonly settle: (outcome: PositionOutcome) => void;
}

/** @param onFailure receives errors of polls; the waits continue */
export function positionWaiter(
  pool: Pool,
  onFailure: (error: unknown) => void = () => {},
  maxWaiters = MAX_WAITERS,
): PositionWaiter {
  const waiters = new Set<Waiter>();
  const frontier: Frontier = { live: '', nextOffsets: new Map() };
  let isPolling = false;
  let isStopped = false;

  async function pollWhileNeeded(): Promise<void> {
    isPolling = true;
    while (waiters.size > 0) {
      let pauseMs = POLL_EVERY_MS;
      const polled = [...waiters];
      try {
        settleDecided(waiters, await readVisibility(pool, pendingPositions(polled)));
      } catch (error) {
        onFailure(error);
        pauseMs = RETRY_MS;
      }
      for (const entry of polled) {
        entry.isPolled = true;
        if (entry.isDue) entry.settle('not yet');
      }
      if (waiters.size > 0) await pause(pauseMs);
    }
    isPolling = false;
  }

  return {
    wait(positions, timeoutMs, signal) {
      const startedAt = performance.now();
      if (isStopped || waiters.size >= maxWaiters)
        return Promise.resolve({ outcome: 'not yet', waitedMs: 0 });
      return new Promise((resolve) => {
        const giveUp = () => entry.settle('not yet');
        const timer = setTimeout(() => {
          entry.isDue = true;
          if (entry.isPolled) giveUp();
        }, timeoutMs);
        const entry: Waiter = {
          isPolled: false,
          isDue: false,
          tracker: followPositions(positions, frontier),
          settle(outcome) {
            waiters.delete(entry);
            clearTimeout(timer);
            signal?.removeEventListener('abort', giveUp);
            resolve({ outcome: outcome, waitedMs: performance.now() - startedAt });
          },
        };
        signal?.addEventListener('abort', giveUp);
        waiters.add(entry);
        if (!isPolling) void pollWhileNeeded();
      });
    },
    stop() {
      isStopped = true;
      for (const { settle } of waiters) settle('not yet');
    },
  };
}

function pendingPositions(waiters: readonly Waiter[]): RecordPosition[] {
  const pending = waiters.flatMap(({ tracker: progress }) => progress.pending());
  return [...new Map(pending.map((position) => [positionText(position), position])).values()];
}

function settleDecided(waiters: ReadonlySet<Waiter>, poll: VisibilityPoll): void {
  for (const { tracker: progress, settle } of waiters) {
    const outcome = progress.advance(poll);
    if (outcome !== 'not yet') settle(outcome);
  }
}
