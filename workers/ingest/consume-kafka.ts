import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from '../../projections/registry.ts';
import { type Place, PositionLost, readPosition } from './apply/position.ts';
import { type DecodeContext, decodeRecord, type IncomingRecord } from './decode/envelope.ts';
import { type DecodedRecord, ingestBatch } from './ingest-batch.ts';

export interface ConsumeOptions {
  readonly kafka: Kafka;
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Logger;
  readonly group: string;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  /** How long the group waits for a member that fell silent; kafkajs says 30 seconds. */
  readonly sessionTimeoutMs?: number;
  /** Partitions applied side by side. */
  readonly concurrency?: number;
}

export interface RunningConsumer {
  stop(): Promise<void>;
}

/** Records applied in one transaction: enough to spread its cost, few enough to hold locks for a fraction of a second. */
const MAX_BATCH = 5_000;
const MAX_PARTITION_BYTES = 4 * 1024 * 1024;
/** While one waits for the database, another decodes. */
export const CONCURRENT_PARTITIONS = 4;
/** How long a broker may hold a fetch while nothing arrives. */
const MAX_WAIT_MS = 500;
const COMMIT_INTERVAL_MS = 5_000;
const TOPIC_REFRESH_MS = 30_000;
const RETRY_MS = { first: 100, most: 10_000 };

/**
 * Consumes the change events of all producers until stopped. The position is stored with the rows, so Kafka's own
 * committed offsets serve lag tools only. Topics that appear later are taken in as they are found.
 */
export async function consumeKafka(options: ConsumeOptions): Promise<RunningConsumer> {
  const { kafka, log } = options;
  const admin = kafka.admin();
  await admin.connect();
  let topics: string[] = [];
  let running: Consumer | null = null;
  let refreshing = Promise.resolve();

  async function refresh(): Promise<void> {
    const found = (await admin.listTopics()).filter((topic) => isOurs(topic, options.prefix)).sort();
    if (found.join() === topics.join()) return;
    topics = found;
    await running?.disconnect();
    running = await startConsumer(options, topics);
    log.info({ topics: topics.length }, 'consuming');
  }

  await refresh();
  const timer = setInterval(() => {
    refreshing = refreshing.then(refresh).catch((error) => log.warn({ err: error }, 'cannot list topics'));
  }, TOPIC_REFRESH_MS);
  return {
    async stop() {
      clearInterval(timer);
      await refreshing;
      await running?.disconnect();
      await admin.disconnect();
    },
  };
}

const isOurs = (topic: string, prefix: string): boolean =>
  topic.startsWith(`${prefix}.`) || topic === `__debezium-heartbeat.${prefix}`;

async function startConsumer(options: ConsumeOptions, topics: string[]): Promise<Consumer | null> {
  if (topics.length === 0) return null;
  const consumer = options.kafka.consumer({
    groupId: options.group,
    maxBytesPerPartition: MAX_PARTITION_BYTES,
    maxWaitTimeInMs: MAX_WAIT_MS,
    ...(options.sessionTimeoutMs === undefined
      ? {}
      : { sessionTimeout: options.sessionTimeoutMs, heartbeatInterval: options.sessionTimeoutMs / 5 }),
  });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  /** Next offset of each partition this member holds; unknown after every rebalance. */
  const positions = new Map<string, number | null>();
  consumer.on(consumer.events.GROUP_JOIN, () => positions.clear());
  await consumer.run({
    eachBatchAutoResolve: false,
    autoCommitInterval: COMMIT_INTERVAL_MS,
    partitionsConsumedConcurrently: options.concurrency ?? CONCURRENT_PARTITIONS,
    eachBatch: (payload) => takeBatch(options, consumer, positions, payload),
  });
  return consumer;
}

async function takeBatch(
  options: ConsumeOptions,
  consumer: Consumer,
  positions: Map<string, number | null>,
  payload: EachBatchPayload,
): Promise<void> {
  const { batch, resolveOffset, commitOffsetsIfNecessary, heartbeat } = payload;
  const place: Place = {
    group: options.group,
    topic: batch.topic,
    partition: batch.partition,
  };
  const id = `${batch.topic}/${batch.partition}`;
  if (!positions.has(id)) {
    const position = await untilItWorks(options, payload, () => readPosition(options.pool, place));
    if (position === undefined) return;
    positions.set(id, position);
    if (position !== null && position !== Number(batch.firstOffset())) {
      consumer.seek({
        topic: batch.topic,
        partition: batch.partition,
        offset: String(position),
      });
      return;
    }
  }
  const decoded = decodeBatch(batch, positions.get(id) ?? 0, contextOf(options));
  for (let start = 0; start < decoded.length; start += MAX_BATCH) {
    const records = decoded.slice(start, start + MAX_BATCH);
    const to = (records.at(-1)?.record.offset ?? 0) + 1;
    const from = positions.get(id) ?? null;
    try {
      const done = await untilItWorks(options, payload, () =>
        ingestBatch(options.pool, options.registry, place, records, from, to),
      );
      if (done === undefined) return;
    } catch (error) {
      if (!(error instanceof PositionLost)) throw error;
      // Whoever moved it holds the truth; it is read again with the next batch.
      options.log.warn({ place, from }, 'position moved elsewhere; batch left to its new owner');
      positions.delete(id);
      return;
    }
    positions.set(id, to);
    resolveOffset(String(to - 1));
    await heartbeat();
    await commitOffsetsIfNecessary();
  }
}

const contextOf = ({ prefix, registry }: ConsumeOptions): DecodeContext => ({
  prefix,
  epoch: registry.epochOf,
});

function decodeBatch(
  batch: EachBatchPayload['batch'],
  position: number,
  context: DecodeContext,
): DecodedRecord[] {
  const decoded: DecodedRecord[] = [];
  for (const message of batch.messages) {
    const offset = Number(message.offset);
    if (offset < position) continue;
    const record: IncomingRecord = {
      topic: batch.topic,
      key: message.key,
      value: message.value,
      headers: textHeaders(message.headers),
      offset,
      timestamp: Number(message.timestamp),
    };
    decoded.push({ record, decoded: decodeRecord(record, context) });
  }
  return decoded;
}

const NO_HEADERS = {};

function textHeaders(
  headers: EachBatchPayload['batch']['messages'][number]['headers'],
): Record<string, string> {
  if (headers === undefined) return NO_HEADERS;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value.at(-1) : value)?.toString() ?? '',
    ]),
  );
}

/**
 * Tries until it works: what fails here is the database, never the records, and they wait for it. Returns
 * undefined when the partition was lost or the consumer is stopping meanwhile.
 */
async function untilItWorks<T>(
  { log }: ConsumeOptions,
  { isRunning, isStale, heartbeat }: EachBatchPayload,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (
    let retryMs = RETRY_MS.first;
    isRunning() && !isStale();
    retryMs = Math.min(retryMs * 2, RETRY_MS.most)
  ) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PositionLost) throw error;
      log.error({ err: error, retryMs }, 'cannot write; the batch waits');
      await pause(retryMs * (0.5 + Math.random()), heartbeat);
    }
  }
  return undefined;
}

const HEARTBEAT_MS = 1_000;

async function pause(ms: number, heartbeat: () => Promise<void>): Promise<void> {
  for (let left = ms; left > 0; left -= HEARTBEAT_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, HEARTBEAT_MS)));
    await heartbeat();
  }
}
