import { existsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../../infra/embedded/postgres.ts';
import type { PostgresSettings } from '../../../infra/embedded/postgres-settings.ts';
import { dockerAnswers } from './docker.ts';
import { givenService, type TestService } from './service.ts';

const IMAGE = 'postgres:18';

/** For data that is thrown away: PostgreSQL does not wait for the disk. */
export const THROWAWAY_SETTINGS: PostgresSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
};

async function startInDocker(): Promise<TestService> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({
      POSTGRES_PASSWORD: 'test',
      POSTGRES_INITDB_ARGS: '--locale-provider=builtin --locale=C.UTF-8 --encoding=UTF8',
    })
    .withCommand([
      'postgres',
      ...Object.entries(THROWAWAY_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    .withExposedPorts(5432)
    // Once for the server that initialises, once for the one that stays.
    .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
    .start();
  const address = `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
  return {
    address,
    origin: `Docker image ${IMAGE}`,
    stop: async () => {
      await container.stop();
    },
  };
}

async function startEmbedded(): Promise<TestService> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-postgres-'));
  // The server runs under an account of its own where the tests run as root.
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, 'data');
  const remove = async () => {
    if (existsSync(dataDir)) await rm(await realpath(dataDir), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const server = await startEmbeddedPostgres({ dataDir, settings: THROWAWAY_SETTINGS });
    return { address: server.url, origin: 'embedded', stop: () => server.stop().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** PostgreSQL for tests, with a role that may create databases: `TEST_DATABASE_URL`, else Docker, else embedded. */
export async function startPostgres(): Promise<TestService> {
  if (process.env.TEST_DATABASE_URL) return givenService('TEST_DATABASE_URL', process.env.TEST_DATABASE_URL);
  return (await dockerAnswers()) ? startInDocker() : startEmbedded();
}
