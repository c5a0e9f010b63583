import type { KafkaMessage } from 'kafkajs';
import { kafkaClient, uniquePrefix } from '../support/services/kafka.ts';

/** A record as a broker holds it. */
export interface LoggedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
  /** Names of its headers. */
  readonly headers: readonly string[];
  /** The record as it was read. */
  readonly message: KafkaMessage;
}

/** The offset after the last record of each partition, as `topic/partition`. */
export async function topicEnds(brokers: string, topics: readonly string[]): Promise<Map<string, number>> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  try {
    const offsets = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
    return new Map(
      topics.flatMap((topic, index) =>
        (offsets[index] ?? []).map(({ partition, high }) => [`${topic}/${partition}`, Number(high)] as const),
      ),
    );
  } finally {
    await admin.disconnect();
  }
}

/** Everything that some topics hold now, by topic and partition in the order of the log. */
export async function readTopics(brokers: string, topics: readonly string[]): Promise<LoggedRecord[]> {
  const ends = await topicEnds(brokers, topics);
  const missing = new Map([...ends].filter(([, end]) => end > 0));
  const records: LoggedRecord[] = [];
  if (missing.size === 0) return records;
  const consumer = kafkaClient(brokers).consumer({ groupId: `${uniquePrefix()}-log` });
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    consumer
      .run({
        eachMessage: async ({ topic, partition, message }) => {
          const { key, value, offset, headers = {} } = message;
          const place = `${topic}/${partition}`;
          const end = missing.get(place);
          if (end === undefined) return;
          records.push({
            topic,
            partition,
            offset: Number(offset),
            key: text(key),
            value: text(value),
            headers: Object.keys(headers),
            message,
          });
          if (Number(offset) >= end - 1) missing.delete(place);
          if (missing.size === 0) resolve();
        },
      })
      .catch(reject);
    await done;
  } finally {
    await consumer.disconnect();
  }
  return records.toSorted(
    (a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition || a.offset - b.offset,
  );
}

const text = (bytes: Buffer | null): string | null => bytes?.toString() ?? null;

/** What is needed to understand how a record was ordered: one line. */
export function describeRecord({ partition, offset, key, value }: LoggedRecord): string {
  if (value === null) return `${partition}:${offset} tombstone ${key}`;
  if (!value.startsWith('{')) return `${partition}:${offset} ${value.length} bytes, no JSON`;
  const { op, source, before, after } = JSON.parse(value);
  const { lsn, sequence, txId, snapshot } = source ?? {};
  return `${partition}:${offset} ${op} lsn ${lsn} sequence ${sequence} tx ${txId} snapshot ${snapshot} key ${key} before ${shortened(before)} after ${shortened(after)}`;
}

const shortened = (row: unknown): string => JSON.stringify(row ?? null).slice(0, 300);
