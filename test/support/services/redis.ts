import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { onSuddenEnd } from '../../../infra/embedded/processes.ts';
import { pollUntil } from '../poll.ts';
import { dockerAnswers } from './docker.ts';
import { requirePrograms } from './programs.ts';
import { givenService, type TestService } from './service.ts';

const IMAGE = 'redis:7';
const STARTUP_MS = 20_000;

async function startInDocker(): Promise<TestService> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(IMAGE)
    .withCommand(['redis-server', '--save', '', '--appendonly', 'no'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  return {
    address: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    origin: `Docker image ${IMAGE}`,
    stop: async () => {
      await container.stop();
    },
  };
}

async function answers(address: string): Promise<boolean> {
  const client = new Redis(address, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

async function untilReady(server: ChildProcess, address: string): Promise<void> {
  const isReady = async () => {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    return answers(address);
  };
  await pollUntil(isReady, { what: `redis-server responds at ${address}`, timeoutMs: STARTUP_MS });
}

/** A Redis on a free port of 127.0.0.1 that keeps nothing. */
async function startLocal(): Promise<TestService> {
  await requirePrograms({ 'redis-server': 'redis-server' }, 'Running Redis for the tests');
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-redis-'));
  const port = await freePort();
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const forget = onSuddenEnd(() => server.kill('SIGKILL'));
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    }
    forget();
    await rm(folder, { recursive: true, force: true });
  };
  const address = `redis://127.0.0.1:${port}`;
  await untilReady(server, address).catch(async (error) => {
    await stop();
    throw error;
  });
  return { address, origin: 'local redis-server', stop };
}

/** The version that the server at `address` reports. */
export async function redisVersion(address: string): Promise<string> {
  const client = new Redis(address);
  try {
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown version';
  } finally {
    client.disconnect();
  }
}

/** Redis for tests: `TEST_REDIS_URL`, else Docker, else `redis-server`. */
export async function startRedis(): Promise<TestService> {
  if (process.env.TEST_REDIS_URL) return givenService('TEST_REDIS_URL', process.env.TEST_REDIS_URL);
  return (await dockerAnswers()) ? startInDocker() : startLocal();
}
