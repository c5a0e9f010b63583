import type { Admin, Consumer, ConsumerConfig, Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Watchdog } from '../../../infra/runtime/watchdog.ts';
import { processWatchdog } from '../../../infra/runtime/watchdog.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { forgetLags } from '../metrics.ts';
import type { RecordLimits } from '../record-limits.ts';
import type { SchemaRegistry } from '../schemas/schema-registry.ts';
import type { SweepMode } from '../sweeps/sweep.ts';
import { applyFetchedBatch } from './apply-fetched-batch.ts';
import { assignedPartitions, type PartitionAssignment } from './assigned-partitions.ts';
import { commitOffsets, type OffsetCommits } from './commit-offsets.ts';
import type { PartitionState } from './partition-state.ts';
import { waitAtMost } from './wait-at-most.ts';
import { watchSilence } from './watch-silence.ts';

const MAX_PARTITION_BYTES = 4 * 1024 * 1024;
/** While one partition waits for the database, another one decodes. */
export const CONCURRENT_PARTITIONS = 4;
/**
 * A broker collects so much, for so long, before it responds to a fetch. Each batch is a transaction, and one of few
 * records costs nearly as much as one of many. A resumed partition waits for as long.
 */
const GATHER = { bytes: 256 * 1024, ms: 200 };
/** New topics and partitions are known after this. */
const METADATA_AGE_MS = 30_000;
const SESSION_TIMEOUT_MS = 30_000;
/** An unavailable broker must not keep a process from ending. */
const LEAVE_MS = 3_000;

export interface ConsumeOptions {
  readonly kafka: Kafka;
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Logger;
  readonly group: string;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefixes: readonly string[];
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: RecordLimits;
  /** Of records in Avro or Protobuf; default: none. */
  readonly schemas?: SchemaRegistry | null;
  /** The time between heartbeats of a connector; null to learn it (default). */
  readonly heartbeatIntervalMs?: number | null;
  /** What to do with rows that a snapshot lacks (default: `counted`). */
  readonly sweeps?: SweepMode;
  /** How long the group waits for a silent member; default 30 seconds. */
  readonly sessionTimeoutMs?: number;
  /** Partitions applied concurrently. */
  readonly concurrency?: number;
  /** Default: the watchdog of the process. */
  readonly watchdog?: Watchdog;
}

/** A consumer from its start to its first failure. */
export interface Session {
  /** The failure that ended it. */
  readonly ended: Promise<Error>;
  states(): PartitionState[];
  /** Finishes the running transactions and leaves the group. */
  close(): Promise<void>;
}

export interface SessionEvents {
  onJoined(): void;
  /** The consumer has shown activity. */
  onActivity(): void;
  /** Another member reads topics that this one does not know. */
  onUnknownTopics(): void;
}

interface SessionOptions extends ConsumeOptions {
  readonly admin: Admin;
  readonly topics: string[];
}

/** Joins the group on `topics` and applies their records. @throws if Kafka is unavailable */
export async function openSession(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const { log, topics, watchdog = processWatchdog } = options;
  const heartbeatMs = (options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS) / 5;
  const consumer = options.kafka.consumer(consumerConfig(options, heartbeatMs));
  const commits = commitOffsets(consumer, log);
  // The member before may have lost its partitions before it committed their positions.
  const assignment = assignedPartitions({ ...options, consumer, onOpened: commits.note });
  const running = new Set<Promise<void>>();
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
  let isStopping = false;
  const endWatch = watchSilence(consumer, {
    isBusy: () => running.size > 0,
    onActivity: events.onActivity,
    onSilence: end,
  });
  listen({ consumer, assignment, commits, events, end });

  async function close(): Promise<void> {
    isStopping = true;
    endWatch();
    assignment.stop();
    await Promise.allSettled(running);
    await waitAtMost(LEAVE_MS, commits.flush());
    commits.forget();
    await waitAtMost(
      LEAVE_MS,
      consumer.disconnect().catch(() => {}),
    );
  }

  try {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    const work = {
      ...options,
      assignment,
      commits,
      heartbeatMs,
      watchdog,
      isStopping: () => isStopping,
    };
    await consumer.run({
      // The position is stored with the rows.
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.concurrency ?? CONCURRENT_PARTITIONS,
      eachBatch(payload) {
        const applied = applyFetchedBatch(work, payload).finally(() => running.delete(applied));
        running.add(applied);
        return applied;
      },
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { ended, states: assignment.states, close };
}

const consumerConfig = (options: ConsumeOptions, heartbeatMs: number): ConsumerConfig => ({
  groupId: options.group,
  maxBytesPerPartition: MAX_PARTITION_BYTES,
  minBytes: GATHER.bytes,
  maxWaitTimeInMs: GATHER.ms,
  metadataMaxAge: METADATA_AGE_MS,
  sessionTimeout: options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS,
  heartbeatInterval: heartbeatMs,
  // A request for a deleted topic must not create it again.
  allowAutoTopicCreation: false,
  // kafkajs restarts after some failures only; we open a new session after each.
  retry: { restartOnFailure: async () => false },
});

interface Listening {
  readonly consumer: Consumer;
  readonly assignment: PartitionAssignment;
  readonly commits: OffsetCommits;
  readonly events: SessionEvents;
  readonly end: (error: Error) => void;
}

function listen({ consumer, assignment, commits, events, end }: Listening): void {
  const { GROUP_JOIN, CRASH, RECEIVED_UNSUBSCRIBED_TOPICS } = consumer.events;
  consumer.on(GROUP_JOIN, ({ payload }) => {
    commits.forget();
    forgetLags();
    assignment.assign(payload.memberAssignment);
    events.onJoined();
  });
  consumer.on(RECEIVED_UNSUBSCRIBED_TOPICS, () => events.onUnknownTopics());
  consumer.on(CRASH, ({ payload }) => {
    // Without a group the partitions cannot be paused or resumed, and other members take them over.
    assignment.stop();
    end(payload.error);
  });
}
