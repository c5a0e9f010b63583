import type { Logger } from 'pino';
import { backoffMs } from '../../backoff.ts';
import { further, type Trouble } from './partition-state.ts';

const RETRY_MS = { first: 200, most: 10_000 };

export interface GateOptions {
  readonly log: Logger;
  readonly onClose: () => void;
  /** Time to see whether it still holds what closed the gate. */
  readonly onRetry: () => void;
}

/** Stands before all partitions: while the database cannot be written, none is fetched in vain. */
export interface Gate {
  /** Why it is closed; null while it is open. */
  closedBy(): Trouble | null;
  /** Whether a retry is still to come. */
  isWaiting(): boolean;
  close(error: unknown): void;
  /** Lets fetching begin again. Whether writing works shows after that; until then failures count on. */
  open(): void;
  /** Something was written, or nobody has anything to write. */
  end(): void;
  /** Takes back a retry that is to come. */
  cancel(): void;
}

export function databaseGate({ log, onClose, onRetry }: GateOptions): Gate {
  let outage: Trouble | null = null;
  let isClosed = false;
  let retry: NodeJS.Timeout | null = null;
  return {
    closedBy: () => (isClosed ? outage : null),
    isWaiting: () => retry !== null,
    close(error) {
      if (retry !== null) return;
      isClosed = true;
      onClose();
      outage = further(outage, error);
      const { attempts } = outage;
      const retryMs = Math.round(backoffMs(attempts, RETRY_MS));
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
      // What was written while others failed proves little; the retry will show.
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
