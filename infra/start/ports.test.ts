import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { readStartConfig } from './config.ts';
import { chooseOptionalPort, requireFreePort } from './ports.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const step of undo.splice(0)) step();
});

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

it('reads a port, or uses the default', () => {
  vi.stubEnv('PORT', '');
  expect(readStartConfig().PORT).toBe(8_080);
  vi.stubEnv('PORT', '9000');
  expect(readStartConfig().PORT).toBe(9_000);
  vi.stubEnv('TASTE_PORT', 'x');
  for (const wrong of ['0', '65536', 'x', '1.5']) {
    vi.stubEnv('PORT', wrong);
    expect(() => readStartConfig(), wrong).toThrow(/^setting PORT.*\nsetting TASTE_PORT/);
  }
});

it('suggests another port if one is taken', async () => {
  const port = await takenPort();
  await expect(requireFreePort('PORT', port)).rejects.toThrow(
    `port ${port} on 127.0.0.1 is taken; choose another one with PORT=${port + 1} npm start`,
  );
});

it('replaces a default port that is taken, but not a configured one', async () => {
  const taken = await takenPort();
  const choose = (configured: number | undefined, fallback: number, other: number) =>
    chooseOptionalPort('A_PORT', { configured, fallback, taken: other });
  expect(await choose(undefined, taken, 1)).toBe(0);
  expect(await choose(undefined, 8_080, 8_080)).toBe(0);
  await expect(choose(taken, 8_081, 1)).rejects.toThrow(`A_PORT=${taken + 1}`);
  await expect(choose(taken, 8_081, taken)).rejects.toThrow(`A_PORT and PORT are both ${taken}`);
});
