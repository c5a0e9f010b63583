import type { Producer } from 'kafkajs';
import { createTopics, kafkaClient, startKafka, uniquePrefix } from '../../support/services/kafka.ts';
import type { Cleanup } from '../cleanup.ts';
import { type ChangeEvent, eventTables } from '../data/events.ts';

/** A Kafka with the topics of change events. */
export interface EventLog {
  readonly brokers: string;
  readonly producer: Producer;
  /** Of the broker; null if it is not a process of this machine. */
  pid(): number | null;
  /** Creates topics of tables under an unused prefix. Default: `eventTables`, one partition. */
  createTopics(
    tables?: readonly string[],
    partitions?: number,
  ): Promise<{ prefix: string; topics: string[] }>;
}

export async function openEventLog(cleanup: Cleanup): Promise<EventLog> {
  const service = await startKafka();
  cleanup.add(() => service.stop());
  const producer = kafkaClient(service.address).producer();
  await producer.connect();
  cleanup.add(() => producer.disconnect());
  return {
    brokers: service.address,
    producer,
    pid: () => service.pid?.() ?? null,
    async createTopics(tables = eventTables, numPartitions = 1) {
      const prefix = uniquePrefix();
      const topics = tables.map((table) => `${prefix}.${table}`);
      await createTopics(
        service.address,
        topics.map((topic) => ({ topic, numPartitions })),
      );
      return { prefix, topics };
    },
  };
}

/** Few enough that the messages of one topic stay within the largest request a broker takes. */
const SEND = 500;

/** Writes events to the topics of their tables, in order. Returns the mean size of a message in bytes. */
export async function sendEvents(
  producer: Producer,
  prefix: string,
  events: Iterable<ChangeEvent>,
): Promise<number> {
  let waiting: ChangeEvent[] = [];
  let bytes = 0;
  let count = 0;
  const flush = async (): Promise<void> => {
    const byTable = Map.groupBy(waiting, ({ source }) => source.table);
    waiting = [];
    await producer.sendBatch({
      topicMessages: [...byTable].map(([table, messages]) => ({
        topic: `${prefix}.${table}`,
        messages: messages.map(({ key, value }) => ({ key, value })),
      })),
    });
  };
  for (const event of events) {
    waiting.push(event);
    bytes += event.key.length + event.value.length;
    count++;
    if (waiting.length === SEND) await flush();
  }
  if (waiting.length > 0) await flush();
  return bytes / count;
}
