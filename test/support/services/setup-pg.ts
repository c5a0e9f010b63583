import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';
import { noteService } from './services-used.ts';
import { createTemplate, type DatabaseServer, serverVersion } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer;
  }
}

/** What tests against a database need. Answers how to end it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startPostgres();
  const { server, stop } = await createTemplate(service);
  noteService('PostgreSQL', await serverVersion(server.url), service.origin);
  project.provide('databaseServer', server);
  return stop;
}
