import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { dropDatabase, execute, withDatabaseName } from './template.ts';

export interface TestDatabase {
  readonly url: string;
  readonly pool: Pool;
}

/**
 * Gives the test file, or the `describe` it is called in, a database of its own: a clone of the migrated template, or
 * one without any table. It is there from the first `beforeAll` on, and dropped at the end.
 */
export function withDatabase(content: 'migrated' | 'empty' = 'migrated'): TestDatabase {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(5).toString('hex')}`;
  const url = withDatabaseName(server.url, name);
  const pool = connect(url, 'test');
  beforeAll(async () => {
    const template = content === 'empty' ? 'template0' : server.template;
    await execute(server.url, `create database ${name} template ${template}`);
  });
  afterAll(async () => {
    await pool.end();
    await dropDatabase(server.url, name);
  });
  return { url, pool };
}
