import type { TestProject } from 'vitest/node';
import { startKafka } from './kafka.ts';
import { KAFKA_VERSION } from './kafka-jars.ts';
import { redisVersion, startRedis } from './redis.ts';
import { noteService } from './services-used.ts';
import { setup as setupDatabase } from './setup-pg.ts';

declare module 'vitest' {
  interface ProvidedContext {
    kafkaBrokers: string;
    redisUrl: string;
  }
}

/** What tests of the whole journey need. Answers how to end it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const kafka = await startKafka();
    undo.push(() => kafka.stop());
    project.provide('kafkaBrokers', kafka.address);
    // The protocol does not report a broker's version; only the brokers started here have a known one.
    const isGiven = process.env.TEST_KAFKA_BROKERS;
    noteService('Kafka', isGiven ? 'unknown version' : KAFKA_VERSION, kafka.origin);
    const redis = await startRedis();
    undo.push(() => redis.stop());
    project.provide('redisUrl', redis.address);
    noteService('Redis', await redisVersion(redis.address), redis.origin);
    undo.push(await setupDatabase(project));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
