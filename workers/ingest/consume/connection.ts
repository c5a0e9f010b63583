import type { Logger } from 'pino';
import { further, type Trouble } from './partition-state.ts';

/** How it stands with Kafka as a whole. */
export interface ConnectionState {
  readonly state: 'running' | 'waiting';
  /** Since when it is so. */
  readonly since: Date;
  readonly reason: string | null;
  /** Tries that failed since then. */
  readonly attempts: number;
}

/** What is known of a process's membership in its group. */
export interface Connection {
  state(): ConnectionState;
  joined(): void;
  /** There is nothing to join for yet. */
  lacksTopics(prefix: string): void;
  /** Answers the tries that failed in a row. */
  failed(error: Error): number;
}

export function watchConnection(log: Logger): Connection {
  let trouble: Trouble | null = { since: new Date(), reason: 'connecting', attempts: 0 };
  let runningSince = new Date();
  return {
    state: () =>
      trouble === null
        ? { state: 'running', since: runningSince, reason: null, attempts: 0 }
        : { state: 'waiting', ...trouble },
    joined() {
      if (trouble === null) return;
      log.info({ since: trouble.since, attempts: trouble.attempts }, 'consuming');
      trouble = null;
      runningSince = new Date();
    },
    lacksTopics(prefix) {
      const since = trouble?.since ?? new Date();
      trouble = { since, reason: `no topic of ${prefix} is there`, attempts: 0 };
    },
    failed(error) {
      trouble = further(trouble, error);
      return trouble.attempts;
    },
  };
}
