import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pino } from 'pino';
import { expect, inject, it } from 'vitest';
import { createTopics, uniquePrefix } from '../../../test/support/services/kafka.ts';
import { kafkaJars } from '../../../test/support/services/kafka-jars.ts';
import { kafkaClient } from './kafka-client.ts';

const brokers = inject('kafkaBrokers');
const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'];
/** Several blocks of each format in one batch, of text that compresses and text that does not. */
const LINES = Array.from(
  { length: 4_000 },
  (_, line) => `${line} ${'same '.repeat(line % 20)}${Math.sin(line)}`,
);

/** Sends lines with Kafka's own producer in Java. */
async function produce(topic: string, codec: string): Promise<void> {
  const batch = ['--producer-property', 'batch.size=900000', '--producer-property', 'linger.ms=2000'];
  const child = spawn(
    'java',
    [
      ...['-cp', path.join(await kafkaJars(), '*'), 'kafka.tools.ConsoleProducer', ...batch],
      ...['--bootstrap-server', brokers, '--topic', topic, '--compression-codec', codec],
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  child.stdin?.end(LINES.join('\n'));
  expect((await once(child, 'exit'))[0]).toBe(0);
}

it('reads what Kafka’s producer compresses, in each of its formats', async () => {
  const prefix = uniquePrefix();
  const topicOf = (codec: string): string => `${prefix}.${codec}`;
  await createTopics(
    brokers,
    CODECS.map((codec) => ({ topic: topicOf(codec) })),
  );
  await Promise.all(CODECS.map((codec) => produce(topicOf(codec), codec)));
  const consumer = kafkaClient(
    { KAFKA_BROKERS: brokers, KAFKA_TLS: false } as Parameters<typeof kafkaClient>[0],
    pino({ level: 'silent' }),
  ).consumer({ groupId: prefix });
  const read = new Map<string, string[]>(CODECS.map((codec) => [topicOf(codec), []]));
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: CODECS.map(topicOf), fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ topic, message }) => {
        read.get(topic)?.push(message.value?.toString() ?? '');
      },
    });
    await expect
      .poll(() => [...read.values()].map(({ length }) => length))
      .toEqual(CODECS.map(() => LINES.length));
  } finally {
    await consumer.disconnect();
  }
  for (const codec of CODECS) expect(read.get(topicOf(codec))).toEqual(LINES);
});
