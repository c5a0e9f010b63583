import { kafkaClient } from '../../services/kafka.ts';
import { answerJobs } from './answer-jobs.ts';

/** Messages to be fetched and dropped. */
export interface ConsumeNothing {
  readonly brokers: string;
  readonly group: string;
  readonly topics: readonly string[];
  readonly count: number;
}

answerJobs<ConsumeNothing, number>(async ({ brokers, group, topics, count }) => {
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
  const perSecond = await done.promise;
  await consumer.disconnect();
  return perSecond;
});
