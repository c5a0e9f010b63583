import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Counter, Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import type { Cause } from './cause.ts';
import { type OperationsOptions, type OperationsServer, serveOperations } from './operations-server.ts';
import { createWatchdog } from './watchdog.ts';

const servers: OperationsServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(changed: Partial<OperationsOptions> = {}): Promise<string> {
  const server = await serveOperations({
    port: 0,
    host: '127.0.0.1',
    watchdog: createWatchdog(),
    readiness: async () => [],
    metrics: [],
    ...changed,
  });
  if (server === null) throw new Error('nothing is served');
  servers.push(server);
  return server.url;
}

describe('a process reports', () => {
  it('whether its loops make progress', async () => {
    let clock = 0;
    const watchdog = createWatchdog(() => clock);
    const liveness = watchdog.watch('loop', 1_000);
    const url = await serve({ watchdog });
    const healthy = await fetch(`${url}/health?verbose`);
    expect([healthy.status, await healthy.json()]).toEqual([200, { status: 'ok' }]);
    clock = 1_001;
    const stuck = await fetch(`${url}/health`);
    expect([stuck.status, await stuck.json()]).toEqual([
      503,
      {
        error: 'unhealthy',
        causes: [{ what: 'loop', since: expect.any(String), detail: expect.any(String) }],
      },
    ]);
    liveness.heartbeat();
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('whether it can do its work, on a path of its own', async () => {
    const causes: Cause[] = [];
    const url = await serve({ readiness: async () => causes });
    const ready = await fetch(`${url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
    causes.push({ what: 'database', since: '2026-01-01T00:00:00.000Z', detail: 'does not answer' });
    const waiting = await fetch(`${url}/ready`);
    expect([waiting.status, await waiting.json()]).toEqual([503, { error: 'not_ready', causes }]);
    expect(waiting.headers.get('retry-after')).toBe('5');
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('the metrics of every source', async () => {
    const [one, two] = [new Registry(), new Registry()];
    new Counter({ name: 'one_total', help: 'One.', registers: [one] }).inc(3);
    new Counter({ name: 'two_total', help: 'Two.', registers: [two] });
    const url = await serve({ metrics: [one, two] });
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual(['one_total 3', 'two_total 0']);
  });

  it('an error without details if the readiness check fails', async () => {
    const url = await serve({ readiness: () => Promise.reject(new Error('secret')) });
    const failed = await fetch(`${url}/ready`);
    expect([failed.status, await failed.json()]).toEqual([500, { error: 'internal_error' }]);
    expect((await fetch(`${url}/`)).status).toBe(404);
  });
});

it('serves nothing without a port', async () => {
  const options = { port: undefined, host: '127.0.0.1', readiness: async () => [], metrics: [] };
  expect(await serveOperations(options)).toBeNull();
});

it('fails when the port is in use', async () => {
  const port = Number(new URL(await serve()).port);
  await expect(serve({ port })).rejects.toThrow('EADDRINUSE');
});

const BLOCKABLE = `
  const { serveOperations } = await import('${new URL('./operations-server.ts', import.meta.url)}');
  const { createWatchdog } = await import('${new URL('./watchdog.ts', import.meta.url)}');
  const options = { port: 0, host: '127.0.0.1', watchdog: createWatchdog(), readiness: async () => [], metrics: [] };
  const { url } = await serveOperations(options);
  process.stdin.once('data', () => {
    process.stdout.write('blocked');
    for (;;);
  });
  process.stdout.write(url);`;

it('does not respond while the event loop is blocked', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', BLOCKABLE], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [url] = await once(child.stdout, 'data');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    child.stdin.write('block');
    expect(String(await once(child.stdout, 'data'))).toBe('blocked');
    await expect(fetch(`${url}/health`, { signal: AbortSignal.timeout(500) })).rejects.toThrow('timeout');
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
