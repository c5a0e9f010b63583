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
  /** Commits now. What cannot be committed is committed later, unless it is forgotten: a quiet topic brings no newer position. */
  flush(): Promise<void>;
}

export function commitOffsets(consumer: Pick<Consumer, 'commitOffsets'>, log: Logger): OffsetCommits {
  let noted = new Map<string, { topic: string; partition: number; offset: string }>();
  let timer: NodeJS.Timeout | null = null;
  let lastAt = 0;
  let assignments = 0;

  const schedule = () => {
    timer ??= setTimeout(flush, Math.max(0, lastAt + INTERVAL_MS - Date.now()));
  };

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (noted.size === 0) return;
    const [sent, assignment] = [noted, assignments];
    noted = new Map();
    lastAt = Date.now();
    try {
      await consumer.commitOffsets([...sent.values()]);
    } catch (error) {
      log.debug({ err: error }, 'cannot commit offsets to Kafka');
      if (assignment !== assignments) return;
      noted = new Map([...sent, ...noted]);
      schedule();
    }
  }

  return {
    note({ topic, partition }, position) {
      noted.set(`${topic}/${partition}`, { topic, partition, offset: String(position) });
      schedule();
    },
    forget() {
      assignments++;
      noted = new Map();
    },
    flush,
  };
}
