import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';
import { createTemplate, type DatabaseServer } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer;
  }
}

/** What tests against a database need. Answers how to end it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { server, stop } = await createTemplate(await startPostgres());
  project.provide('databaseServer', server);
  return stop;
}
