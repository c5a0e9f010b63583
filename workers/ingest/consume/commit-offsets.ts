import type { Consumer } from 'kafkajs';
import type { Logger } from 'pino';
import type { Place } from '../apply/position.ts';

/** At most one commit in this time. */
const INTERVAL_MS = 5_000;

/** What Kafka is told of positions, for its lag tools alone: nothing is ever read from there. */
export interface OffsetCommits {
  note(place: Place, position: number): void;
  /** Forgets what was not committed yet: the partitions may be others' by now. */
  forget(): void;
  /** Commits now. A failure is only logged. */
  flush(): Promise<void>;
}

export function commitOffsets(consumer: Pick<Consumer, 'commitOffsets'>, log: Logger): OffsetCommits {
  let noted = new Map<string, { topic: string; partition: number; offset: string }>();
  let timer: NodeJS.Timeout | null = null;
  let lastAt = 0;

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (noted.size === 0) return;
    const offsets = [...noted.values()];
    noted = new Map();
    lastAt = Date.now();
    try {
      await consumer.commitOffsets(offsets);
    } catch (error) {
      log.debug({ err: error }, 'Kafka was not told of the positions');
    }
  }

  return {
    note({ topic, partition }, position) {
      noted.set(`${topic}/${partition}`, { topic, partition, offset: String(position) });
      timer ??= setTimeout(flush, Math.max(0, lastAt + INTERVAL_MS - Date.now()));
    },
    forget() {
      noted = new Map();
    },
    flush,
  };
}
