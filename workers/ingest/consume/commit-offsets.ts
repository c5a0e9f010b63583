import type { Consumer } from 'kafkajs';
import type { Logger } from 'pino';
import type { PartitionId } from '../apply/position.ts';

/** At most one commit in this time. */
const INTERVAL_MS = 5_000;

/** Commits positions to Kafka for its lag tools only: we never read them from there. */
export interface OffsetCommits {
  note(partition: PartitionId, position: number): void;
  /** Drops positions that were not committed yet, because other members may have the partitions now. */
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
      log.debug({ err: error }, 'cannot commit offsets to Kafka');
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
