import type { TestProject } from 'vitest/node';
import { startKafka } from './kafka.ts';
import { setup as setupDatabase } from './setup-pg.ts';

declare module 'vitest' {
  interface ProvidedContext {
    kafkaBrokers: string;
  }
}

/** What tests of the whole journey need. Answers how to end it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kafka = await startKafka();
  project.provide('kafkaBrokers', kafka.address);
  try {
    const stopDatabase = await setupDatabase(project);
    return async () => {
      await stopDatabase();
      await kafka.stop();
    };
  } catch (error) {
    await kafka.stop();
    throw error;
  }
}
