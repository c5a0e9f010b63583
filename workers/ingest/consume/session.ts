import type { Admin, Consumer, ConsumerConfig } from 'kafkajs';
import { forgetLags } from '../../watch/metrics.ts';
import { watchdog as ofProcess } from '../../watch/watchdog.ts';
import type { ConsumeOptions } from '../consume-kafka.ts';
import { atMost } from './at-most.ts';
import { commitOffsets, type OffsetCommits } from './commit-offsets.ts';
import { type Holdings, holdPartitions } from './holdings.ts';
import type { PartitionState } from './partition-state.ts';
import { takeBatch } from './take-batch.ts';
import { watchSilence } from './watch-silence.ts';

const MAX_PARTITION_BYTES = 4 * 1024 * 1024;
/** While one waits for the database, another decodes. */
export const CONCURRENT_PARTITIONS = 4;
/**
 * How much a broker gathers before it answers a fetch, and how long it may take: every batch is a transaction, and of
 * few records it costs nearly as much as of many. It is also how soon a partition that was waiting is fetched.
 */
const GATHER = { bytes: 256 * 1024, ms: 200 };
/** Topics and partitions that others made are known after this. */
const METADATA_AGE_MS = 30_000;
const SESSION_TIMEOUT_MS = 30_000;
/** A broker that is away must not keep a process from ending. */
const LEAVE_MS = 3_000;

/** A consumer's time between two of its ends, whatever they come from. */
export interface Session {
  /** Why it came to an end by itself. */
  readonly ended: Promise<Error>;
  states(): PartitionState[];
  /** Finishes the transactions in hand and leaves the group. */
  close(): Promise<void>;
}

export interface SessionEvents {
  onJoined(): void;
  /** The consumer has shown that it lives. */
  onSign(): void;
  /** Another member reads topics that this one does not know. */
  onOtherTopics(): void;
}

/** Joins the group on `topics` and applies what comes. @throws when Kafka cannot be reached */
export async function openSession(
  options: ConsumeOptions,
  admin: Admin,
  topics: string[],
  events: SessionEvents,
): Promise<Session> {
  const { log, watchdog = ofProcess } = options;
  const heartbeatMs = (options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS) / 5;
  const consumer = options.kafka.consumer(consumerConfig(options, heartbeatMs));
  const holdings = holdPartitions({ ...options, consumer });
  const commits = commitOffsets(consumer, log);
  const inHand = new Set<Promise<void>>();
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
  let isStopping = false;
  const endWatch = watchSilence(consumer, () => inHand.size > 0, end, events.onSign);
  listen({ consumer, holdings, commits, events, end });

  async function close(): Promise<void> {
    isStopping = true;
    endWatch();
    holdings.stop();
    await Promise.allSettled(inHand);
    await atMost(LEAVE_MS, commits.flush());
    await atMost(
      LEAVE_MS,
      consumer.disconnect().catch(() => {}),
    );
  }

  try {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    const work = {
      ...options,
      admin,
      holdings,
      commits,
      heartbeatMs,
      watchdog,
      isStopping: () => isStopping,
    };
    await consumer.run({
      // The position is kept with the rows; what Kafka keeps is told apart from it.
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.concurrency ?? CONCURRENT_PARTITIONS,
      eachBatch(payload) {
        const taken = takeBatch(work, payload).finally(() => inHand.delete(taken));
        inHand.add(taken);
        return taken;
      },
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { ended, states: holdings.states, close };
}

const consumerConfig = (options: ConsumeOptions, heartbeatMs: number): ConsumerConfig => ({
  groupId: options.group,
  maxBytesPerPartition: MAX_PARTITION_BYTES,
  minBytes: GATHER.bytes,
  maxWaitTimeInMs: GATHER.ms,
  metadataMaxAge: METADATA_AGE_MS,
  sessionTimeout: options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS,
  heartbeatInterval: heartbeatMs,
  // Asking for a topic that was deleted must not bring it back empty.
  allowAutoTopicCreation: false,
  // kafkajs restarts after some of its failures and gives up after others; here every end is followed by a new session.
  retry: { restartOnFailure: async () => false },
});

interface Listening {
  readonly consumer: Consumer;
  readonly holdings: Holdings;
  readonly commits: OffsetCommits;
  readonly events: SessionEvents;
  readonly end: (error: Error) => void;
}

function listen({ consumer, holdings, commits, events, end }: Listening): void {
  const { GROUP_JOIN, CRASH, RECEIVED_UNSUBSCRIBED_TOPICS } = consumer.events;
  consumer.on(GROUP_JOIN, ({ payload }) => {
    commits.forget();
    forgetLags();
    holdings.assign(payload.memberAssignment);
    events.onJoined();
  });
  consumer.on(RECEIVED_UNSUBSCRIBED_TOPICS, () => events.onOtherTopics());
  consumer.on(CRASH, ({ payload }) => {
    // Without a group there is nothing to steer, and the partitions are others' soon.
    holdings.stop();
    end(payload.error);
  });
}
