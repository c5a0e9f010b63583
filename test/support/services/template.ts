import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../../db/migrate.ts';
import type { TestService } from './service.ts';

/** SQLSTATE object_in_use. */
const IN_USE = '55006';

/** A server, and the name of a migrated database there to clone. */
export interface DatabaseServer {
  readonly url: string;
  readonly template: string;
}

/** `url` with another database. */
export function withDatabaseName(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Runs one statement on a connection of its own, as creating and dropping databases wants it. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The version that the server at `url` reports. */
export async function serverVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'unknown version';
  } finally {
    await client.end();
  }
}

/**
 * Drops a database. The sessions of a pool that has just ended get some seconds to close: if they were cut off
 * immediately, the pool would emit an unhandled error. Later, any remaining session is cut off.
 */
export async function dropDatabase(url: string, name: string): Promise<void> {
  try {
    await execute(url, `drop database if exists ${name}`);
  } catch (error) {
    if ((error as { code?: string }).code !== IN_USE) throw error;
    await execute(url, `drop database if exists ${name} with (force)`);
  }
}

/** Migrates a template on a server; `stop` drops it and ends the server. */
export async function createTemplate(
  server: TestService,
): Promise<{ server: DatabaseServer; stop: () => Promise<void> }> {
  const template = `template_${randomBytes(5).toString('hex')}`;
  const stop = async () => {
    try {
      await dropDatabase(server.address, template);
    } finally {
      await server.stop();
    }
  };
  try {
    await execute(server.address, `create database ${template} template template0`);
    await migrate(withDatabaseName(server.address, template));
  } catch (error) {
    await stop();
    throw error;
  }
  return { server: { url: server.address, template }, stop };
}
