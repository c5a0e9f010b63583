import type { Admin, Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Heart, Watchdog } from '../../projections/observe/watchdog.ts';
import type { Registry } from '../../projections/registry.ts';
import { backoffMs } from '../backoff.ts';
import { pause, unlessAborted } from '../until-it-works.ts';
import { watchdog as ofProcess, TURN_LIMIT_MS } from '../watch/watchdog.ts';
import { atMost } from './consume/at-most.ts';
import { type Connection, type ConnectionState, watchConnection } from './consume/connection.ts';
import type { PartitionState } from './consume/partition-state.ts';
import { runSession } from './consume/run-session.ts';
import type { Session } from './consume/session.ts';
import { ourTopics } from './consume/topics.ts';

export interface ConsumeOptions {
  readonly kafka: Kafka;
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Logger;
  readonly group: string;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  /** How long the group waits for a member that fell silent; 30 seconds unless said. */
  readonly sessionTimeoutMs?: number;
  /** Partitions applied side by side. */
  readonly concurrency?: number;
  /** That of the process unless said. */
  readonly watchdog?: Watchdog;
}

export interface RunningConsumer {
  /** Whether this process is a member of the group. */
  connection(): ConnectionState;
  /** The partitions it reads; none while it is no member. */
  partitions(): PartitionState[];
  /** Ends after the transactions in hand. */
  stop(): Promise<void>;
}

/** Before the first topic is there. */
const FIRST_TOPIC_MS = 2_000;
const RETRY_MS = { first: 500, most: 10_000 };
/** A session that lasted so long did not fail at what the one before it did. */
const STEADY_MS = 60_000;
/** What is away must not keep a process from ending. */
const DISCONNECT_MS = 1_000;

/**
 * Consumes the change events of all producers until stopped, whatever fails meanwhile: it waits for Kafka, for the
 * database and for topics to appear, and says so. The position is stored with the rows, so Kafka's own committed offsets
 * serve lag tools only.
 */
export function consumeKafka(options: ConsumeOptions): RunningConsumer {
  const ending = new AbortController();
  const consuming: Consuming = {
    signal: ending.signal,
    connection: watchConnection(options.log),
    heart: (options.watchdog ?? ofProcess).watch('consume', TURN_LIMIT_MS.consume),
    session: null,
  };
  const done = keepConsuming(options, consuming);
  return {
    connection: consuming.connection.state,
    partitions: () => consuming.session?.states() ?? [],
    async stop() {
      ending.abort();
      await done;
    },
  };
}

interface Consuming {
  readonly signal: AbortSignal;
  readonly connection: Connection;
  readonly heart: Heart;
  session: Session | null;
}

async function keepConsuming(options: ConsumeOptions, consuming: Consuming): Promise<void> {
  const { signal, connection, heart } = consuming;
  for (let failures = 0; !signal.aborted; ) {
    heart.beat();
    const startedAt = Date.now();
    const error = await consumeOnce(options, consuming);
    if (error === null) continue;
    failures = Date.now() - startedAt > STEADY_MS ? 1 : failures + 1;
    const attempts = connection.failed(error);
    const retryMs = Math.round(backoffMs(failures, RETRY_MS));
    options.log.error({ err: error, attempts, retryMs }, 'Kafka cannot be consumed; waiting');
    await pause(retryMs, signal);
  }
  heart.stop();
}

/** Consumes until something ends it. Answers what failed, if that was the reason. */
async function consumeOnce(options: ConsumeOptions, consuming: Consuming): Promise<Error | null> {
  const admin = options.kafka.admin();
  try {
    return await consumeTopics(options, consuming, admin);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    consuming.session = null;
    const leaving = admin.disconnect().catch(() => {});
    await atMost(DISCONNECT_MS, leaving);
  }
}

async function consumeTopics(
  options: ConsumeOptions,
  consuming: Consuming,
  admin: Admin,
): Promise<Error | null> {
  const { signal, connection, heart } = consuming;
  const listing = admin.connect().then(() => ourTopics(admin, options.prefix));
  const topics = await unlessAborted(listing, signal);
  if (topics === null) return null;
  if (topics.length === 0) {
    connection.lacksTopics(options.prefix);
    await pause(FIRST_TOPIC_MS, signal);
    return null;
  }
  return runSession(options, {
    admin,
    topics,
    signal,
    onJoined: connection.joined,
    onSign: heart.beat,
    onOpened(session) {
      consuming.session = session;
    },
  });
}
