import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { findChanges, findUnreadTopic, isTopicOfSource } from './find-changes.ts';
import {
  type ChangeReference,
  isRecordPosition,
  positionText,
  type RecordPosition,
  type WaitTarget,
} from './position.ts';
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

/** A position in a topic that no source has and that no consumer has read. */
export class UnknownTopic extends Error {
  override readonly name = 'UnknownTopic';

  constructor(topic: string) {
    super(`names the topic ${topic}, which no source has and no consumer has read`);
  }
}

/** Lets readers wait until records of the log are visible in the database behind `pool`. */
export interface PositionWaiter {
  /**
   * Resolves when the outcome is certain, after `timeoutMs`, or when the signal aborts; immediately if too many readers wait.
   * It polls the database at least once, however short the time-out is.
   *
   * @throws UnknownTopic
   */
  wait(targets: readonly WaitTarget[], timeoutMs: number, signal?: AbortSignal): Promise<WaitResult>;
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
  readonly positions: readonly RecordPosition[];
  /** Changes whose positions are not known yet. */
  changes: readonly ChangeReference[];
  tracker: PositionTracker;
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
        if (polled.some(({ changes }) => changes.length > 0)) await locateChanges(polled);
        const poll = await readVisibility(pool, pendingPositions(polled));
        settleDecided(
          [...waiters].filter(({ changes }) => changes.length === 0),
          poll,
        );
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

  /** The record of a change is known once it is applied: from then on, its reader waits for that. */
  async function locateChanges(polled: readonly Waiter[]): Promise<void> {
    const waiting = polled.filter(({ changes }) => changes.length > 0);
    const found = await findChanges(
      pool,
      waiting.flatMap(({ changes }) => changes),
    );
    let next = 0;
    for (const entry of waiting) {
      const located = found.slice(next, next + entry.changes.length);
      next += entry.changes.length;
      if (located.includes(null)) continue;
      entry.changes = [];
      entry.tracker = followPositions(
        [...entry.positions, ...located.flatMap((positions) => positions ?? [])],
        frontier,
      );
    }
  }

  /** Of an unavailable database the poll informs, again and again. */
  async function rejectUnknownTopic(topics: readonly string[]): Promise<void> {
    const topic = await findUnreadTopic(pool, topics).catch(() => null);
    if (topic !== null) throw new UnknownTopic(topic);
  }

  return {
    async wait(targets, timeoutMs, signal) {
      const startedAt = performance.now();
      const positions = targets.filter(isRecordPosition);
      const strange = positions.map(({ topic }) => topic).filter((topic) => !isTopicOfSource(topic));
      if (strange.length > 0) await rejectUnknownTopic(strange);
      if (isStopped || signal?.aborted || waiters.size >= maxWaiters)
        return { outcome: 'not yet', waitedMs: 0 };
      return new Promise((resolve) => {
        const giveUp = () => entry.settle('not yet');
        const timer = setTimeout(() => {
          entry.isDue = true;
          if (entry.isPolled) giveUp();
        }, timeoutMs);
        const entry: Waiter = {
          isPolled: false,
          isDue: false,
          positions,
          changes: targets.filter((target): target is ChangeReference => !isRecordPosition(target)),
          tracker: followPositions(positions, frontier),
          settle(outcome) {
            waiters.delete(entry);
            clearTimeout(timer);
            signal?.removeEventListener('abort', giveUp);
            resolve({ outcome, waitedMs: performance.now() - startedAt });
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
  const pending = waiters.flatMap(({ tracker }) => tracker.pending());
  return [...new Map(pending.map((position) => [positionText(position), position])).values()];
}

function settleDecided(waiters: readonly Waiter[], poll: VisibilityPoll): void {
  for (const { tracker, settle } of waiters) {
    const outcome = tracker.advance(poll);
    if (outcome !== 'not yet') settle(outcome);
  }
}
