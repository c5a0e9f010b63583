import type { Logger } from 'pino';
import { addFailure, type FailureStreak } from './partition-state.ts';

/** The state of the connection to Kafka. */
export interface ConnectionState {
  readonly state: 'running' | 'waiting';
  readonly since: Date;
  readonly reason: string | null;
  /** Failed attempts since then. */
  readonly attempts: number;
}

/** Records whether the process is a member of its group. */
export interface ConnectionMonitor {
  state(): ConnectionState;
  joined(): void;
  /** No topic exists yet. */
  lacksTopics(prefixes: readonly string[]): void;
  /** @returns the failed attempts in a row */
  failed(error: Error): number;
}

export function monitorConnection(log: Logger): ConnectionMonitor {
  let failures: FailureStreak | null = { since: new Date(), reason: 'connecting', attempts: 0 };
  let runningSince = new Date();
  return {
    state: () =>
      failures === null
        ? { state: 'running', since: runningSince, reason: null, attempts: 0 }
        : { state: 'waiting', ...failures },
    joined() {
      if (failures === null) return;
      log.info({ since: failures.since, attempts: failures.attempts }, 'consuming');
      failures = null;
      runningSince = new Date();
    },
    lacksTopics(prefixes) {
      const since = failures?.since ?? new Date();
      failures = { since, reason: `no topic of ${prefixes.join(', ')} exists`, attempts: 0 };
    },
    failed(error) {
      failures = addFailure(failures, error);
      return failures.attempts;
    },
  };
}
