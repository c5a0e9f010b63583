import { expect, inject, it } from 'vitest';
import { withDatabase } from './database.ts';
import { createTopics, kafkaClient, uniquePrefix } from './kafka.ts';

const database = withDatabase();

it('carries a message through Kafka, key, value and header', async () => {
  const brokers = inject('kafkaBrokers');
  const prefix = uniquePrefix();
  const topic = `${prefix}.seen.festival`;
  await createTopics(brokers, [{ topic }]);
  const kafka = kafkaClient(brokers);

  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ key: 'one', value: 'Primavera Só', headers: { kind: 'c' } }] });
  await producer.disconnect();

  const consumer = kafka.consumer({ groupId: `${prefix}-group` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const received = await new Promise((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message: { key, value, headers } }) =>
          resolve([key?.toString(), value?.toString(), headers?.kind?.toString()]),
      })
      .catch(reject);
  });
  await consumer.disconnect();

  expect(received).toEqual(['one', 'Primavera Só', 'c']);
});

it('rejects a topic that does not exist', async () => {
  const producer = kafkaClient(inject('kafkaBrokers')).producer({ retry: { retries: 0 } });
  await producer.connect();
  await expect(
    producer.send({ topic: `${uniquePrefix()}.seen.festival`, messages: [{ value: 'x' }] }),
  ).rejects.toThrow('does not host this topic-partition');
  await producer.disconnect();
});

it('gives a migrated database that folds case beyond ASCII', async () => {
  const { rows } = await database.pool.query(
    `select lower('ÉÀ') as folded, to_regclass('ingest.mirror') is not null as is_migrated`,
  );
  expect(rows).toEqual([{ folded: 'éà', is_migrated: true }]);
});
