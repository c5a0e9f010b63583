import type { Logger } from 'pino';
import { backoffMs } from '../../../infra/runtime/retry.ts';
import { addFailure, type FailureStreak } from './partition-state.ts';

const BACKOFF = { firstMs: 200, maxMs: 10_000 };

export interface GateOptions {
  readonly log: Logger;
  readonly onClose: () => void;
  /** Time to try the database again. */
  readonly onRetry: () => void;
}

/** Stops all partitions while the database cannot be written, so that no record is fetched in vain. */
export interface DatabaseGate {
  /** Why it is closed; null while it is open. */
  closedBy(): FailureStreak | null;
  /** Whether a retry is scheduled. */
  isWaiting(): boolean;
  close(error: unknown): void;
  /** Lets fetching begin again. The streak of failures goes on until a write succeeds. */
  open(): void;
  /** A write has succeeded, or no partition has anything to write. */
  end(): void;
  /** Cancels a scheduled retry. */
  cancel(): void;
}

export function databaseGate({ log, onClose, onRetry }: GateOptions): DatabaseGate {
  let outage: FailureStreak | null = null;
  let isClosed = false;
  let retry: NodeJS.Timeout | null = null;
  return {
    closedBy: () => (isClosed ? outage : null),
    isWaiting: () => retry !== null,
    close(error) {
      if (retry !== null) return;
      isClosed = true;
      onClose();
      outage = addFailure(outage, error);
      const { attempts } = outage;
      const retryMs = Math.round(backoffMs(attempts, BACKOFF));
      log.error({ err: error, attempts, retryMs }, 'the database cannot be written; all partitions wait');
      retry = setTimeout(() => {
        retry = null;
        onRetry();
      }, retryMs);
    },
    open() {
      isClosed = false;
    },
    end() {
      // One successful write among failures proves little; the retry decides.
      if (outage === null || isClosed) return;
      log.info({ since: outage.since, attempts: outage.attempts }, 'the database can be written again');
      outage = null;
    },
    cancel() {
      if (retry !== null) clearTimeout(retry);
      retry = null;
    },
  };
}
