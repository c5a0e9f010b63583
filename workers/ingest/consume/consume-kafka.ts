import type { Admin } from 'kafkajs';
import { backoffMs, pause, unlessAborted } from '../../../infra/runtime/retry.ts';
import type { LoopLiveness } from '../../../infra/runtime/watchdog.ts';
import { processWatchdog } from '../../../infra/runtime/watchdog.ts';
import { type ConnectionMonitor, type ConnectionState, monitorConnection } from './connection.ts';
import type { PartitionState } from './partition-state.ts';
import { listTopics, runSession } from './run-session.ts';
import type { ConsumeOptions, Session } from './session.ts';
import { waitAtMost } from './wait-at-most.ts';

const CONSUME_LIMIT_MS = 300_000;

export interface RunningConsumer {
  /** Whether this process is a member of the group. */
  connection(): ConnectionState;
  /** The partitions it reads; none while it is not a member. */
  partitions(): PartitionState[];
  /** Resolves after the running transactions. */
  stop(): Promise<void>;
}

/** Pause while no topic exists. */
const FIRST_TOPIC_MS = 2_000;
const BACKOFF = { firstMs: 500, maxMs: 10_000 };
/** The failure of a session that lasted so long starts a new streak. */
const STEADY_MS = 60_000;
/** An unavailable broker must not keep a process from ending. */
const DISCONNECT_MS = 1_000;

/**
 * Consumes the change events of all producers until stopped. It waits for Kafka, for the database and for topics, and
 * logs why. Positions are stored with the rows; the offsets committed to Kafka serve lag tools only.
 */
export function consumeKafka(options: ConsumeOptions): RunningConsumer {
  const ending = new AbortController();
  const consuming: Consuming = {
    signal: ending.signal,
    connection: monitorConnection(options.log),
    liveness: (options.watchdog ?? processWatchdog).watch('consume', CONSUME_LIMIT_MS),
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
  readonly connection: ConnectionMonitor;
  readonly liveness: LoopLiveness;
  session: Session | null;
}

async function keepConsuming(options: ConsumeOptions, consuming: Consuming): Promise<void> {
  const { signal, connection, liveness } = consuming;
  for (let failures = 0; !signal.aborted; ) {
    liveness.heartbeat();
    const startedAt = Date.now();
    const error = await consumeOnce(options, consuming);
    if (error === null) continue;
    failures = Date.now() - startedAt > STEADY_MS ? 1 : failures + 1;
    const attempts = connection.failed(error);
    const retryMs = Math.round(backoffMs(failures, BACKOFF));
    options.log.error({ err: error, attempts, retryMs }, 'Kafka cannot be consumed; waiting');
    await pause(retryMs, signal);
  }
  liveness.stop();
}

/** Consumes until a failure, the signal or changed topics. @returns the failure, if any */
async function consumeOnce(options: ConsumeOptions, consuming: Consuming): Promise<Error | null> {
  const admin = options.kafka.admin();
  try {
    return await consumeTopics(options, consuming, admin);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    consuming.session = null;
    const leaving = admin.disconnect().catch(() => {});
    await waitAtMost(DISCONNECT_MS, leaving);
  }
}

async function consumeTopics(
  options: ConsumeOptions,
  consuming: Consuming,
  admin: Admin,
): Promise<Error | null> {
  const { signal, connection, liveness } = consuming;
  const listing = admin.connect().then(() => listTopics(admin, options.prefixes));
  const topics = await unlessAborted(listing, signal);
  if (topics === null) return null;
  if (topics.length === 0) {
    connection.lacksTopics(options.prefixes);
    await pause(FIRST_TOPIC_MS, signal);
    return null;
  }
  return runSession(options, {
    admin,
    topics,
    signal,
    onJoined: connection.joined,
    onActivity: liveness.heartbeat,
    onOpened(session) {
      consuming.session = session;
    },
  });
}
