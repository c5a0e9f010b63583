import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Pool } from 'pg';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { startEmbeddedPostgres } from '../../infra/embedded/postgres.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { dropDatabase, execute, withDatabaseName } from '../support/services/template.ts';
import type { Cleanup } from './cleanup.ts';

export interface BenchDatabase {
  readonly url: string;
  readonly pool: Pool;
  readonly registry: Registry;
  /** Stops the server and starts it again on the same data; null for a server that the run did not start. */
  readonly restart: (() => Promise<void>) | null;
}

/** A migrated database with a service's settings, which is gone after the run. */
export async function openDatabase(cleanup: Cleanup): Promise<BenchDatabase> {
  const given = process.env.DATABASE_URL;
  const { url, restart } = given
    ? { url: await createDatabase(given, cleanup), restart: null }
    : await startServer(cleanup);
  await migrate(url);
  const pool = connect(url, 'bench', { max: 6 });
  cleanup.add(() => pool.end());
  return { url, pool, registry: await registerSources(pool), restart };
}

/** Runs `work` on a database without any table in the same server, which is gone afterwards. */
export async function withEmptyDatabase<T>(
  { url, pool }: BenchDatabase,
  cleanup: Cleanup,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const own = await createDatabase(url, cleanup);
  // The server has nothing left to write for what was before.
  await pool.query('checkpoint');
  try {
    return await work(own);
  } finally {
    await dropDatabase(url, new URL(own).pathname.slice(1));
  }
}

async function createDatabase(server: string, cleanup: Cleanup): Promise<string> {
  const name = `bench_${randomBytes(5).toString('hex')}`;
  await execute(server, `create database ${name} template template0`);
  cleanup.add(() => execute(server, `drop database if exists ${name} with (force)`));
  return withDatabaseName(server, name);
}

async function startServer(cleanup: Cleanup): Promise<Pick<BenchDatabase, 'url' | 'restart'>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-bench-'));
  // The server runs under an account of its own where the benchmark runs as root.
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, 'data');
  cleanup.add(async () => {
    if (existsSync(dataDir)) await rm(await realpath(dataDir), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });
  let server = await startEmbeddedPostgres({ dataDir });
  cleanup.add(() => server.stop());
  const port = Number(new URL(server.url).port);
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await startEmbeddedPostgres({ dataDir, port });
  };
  return { url: server.url, restart };
}
