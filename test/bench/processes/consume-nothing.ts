import { pollUntil } from '../../support/poll.ts';
import { kafkaClient } from '../../support/services/kafka.ts';
import { handleJobs } from './handle-jobs.ts';

const STALLED_MS = 60_000;

/** Messages to be fetched and dropped. */
export interface ConsumeNothing {
  readonly brokers: string;
  readonly group: string;
  readonly topics: readonly string[];
  readonly count: number;
}

handleJobs<ConsumeNothing, number>(async ({ brokers, group, topics, count }) => {
  const consumer = kafkaClient(brokers).consumer({ groupId: group, maxBytesPerPartition: 4 * 1024 * 1024 });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  const done = Promise.withResolvers<number>();
  let seen = 0;
  let first = { at: 0, seen: 0 };
  await consumer.run({
    partitionsConsumedConcurrently: 2,
    eachBatch: async ({ batch }) => {
      seen += batch.messages.length;
      if (first.seen === 0) first = { at: performance.now(), seen };
      if (seen >= count) done.resolve((seen - first.seen) / ((performance.now() - first.at) / 1_000));
    },
  });
  while (seen < count) {
    const before = seen;
    await pollUntil(() => seen > before, { what: 'kafkajs fetches more messages', timeoutMs: STALLED_MS });
  }
  const perSecond = await done.promise;
  await consumer.disconnect();
  return perSecond;
});
