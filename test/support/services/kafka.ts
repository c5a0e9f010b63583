import { randomBytes } from 'node:crypto';
import { type ITopicConfig, Kafka, logLevel } from 'kafkajs';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { dockerAnswers } from './docker.ts';
import { KAFKA_VERSION } from './kafka-jars.ts';
import { startLocalKafka } from './kafka-local.ts';
import { givenService, type TestService } from './service.ts';

async function startInDocker(): Promise<TestService> {
  const { GenericContainer, Wait } = await import('testcontainers');
  // The broker must advertise the port under which it is reached from here.
  const port = await freePort();
  const container = await new GenericContainer(`apache/kafka:${KAFKA_VERSION}`)
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '500',
    })
    .withExposedPorts({ container: 9092, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return {
    address: `127.0.0.1:${port}`,
    origin: `Docker image apache/kafka:${KAFKA_VERSION}`,
    stop: async () => {
      await container.stop();
    },
  };
}

/** Kafka for tests: `TEST_KAFKA_BROKERS`, else Docker, else Apache Kafka's own jars. */
export async function startKafka(): Promise<TestService> {
  if (process.env.TEST_KAFKA_BROKERS)
    return givenService('TEST_KAFKA_BROKERS', process.env.TEST_KAFKA_BROKERS);
  return (await dockerAnswers()) ? startInDocker() : startLocalKafka();
}

/** A client with its log off: a broker's first answers about a new topic or group are errors that kafkajs retries. */
export const kafkaClient = (brokers: string): Kafka =>
  new Kafka({ clientId: 'linernotes-test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });

/** A start for the names of topics and groups that no other test uses, without a dot at its end. */
export const uniquePrefix = (): string => `test-${randomBytes(5).toString('hex')}`;

/** Creates topics and waits until each partition has its leader. One partition unless said. */
export async function createTopics(brokers: string, topics: readonly ITopicConfig[]): Promise<void> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  try {
    await admin.createTopics({
      waitForLeaders: true,
      topics: topics.map((topic) => ({ numPartitions: 1, ...topic })),
    });
  } finally {
    await admin.disconnect();
  }
}
