import path from 'node:path';
import { fromMaven } from './maven.ts';

/** The newest line whose brokers still speak the protocol versions of kafkajs 2. */
export const KAFKA_VERSION = '3.9.1';
/** Kafka logs through slf4j and brings no backend along. */
export const LOG_BACKEND = 'org.slf4j:slf4j-reload4j:1.7.36';

/** The folder with Apache Kafka's jars. */
export async function kafkaJars(): Promise<string> {
  const libraries = [`org.apache.kafka:kafka_2.13:${KAFKA_VERSION}`, LOG_BACKEND];
  return path.join(await fromMaven({ name: `kafka-${KAFKA_VERSION}`, libraries }), 'jars');
}
