import { createWatchdog } from '../../projections/observe/watchdog.ts';

/** Watches the loops of this process. */
export const watchdog = createWatchdog();

/**
 * How long each loop may take for a turn, in milliseconds: well above what a turn takes that waits for a dependency
 * and tries again, so that only one that hangs is overdue. A batch may hold a truncate of a large table, and a projector
 * wait until every document is marked.
 */
export const TURN_LIMIT_MS = {
  consume: 300_000,
  batch: 900_000,
  topics: 180_000,
  project: 600_000,
} as const;
