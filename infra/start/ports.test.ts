import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { chooseOptionalPort, readPort, requireFreePort } from './ports.ts';

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

it('reads a port, or has its default', () => {
  vi.stubEnv('A_PORT', '');
  expect(readPort('A_PORT', 8_080)).toBe(8_080);
  vi.stubEnv('A_PORT', '9000');
  expect(readPort('A_PORT', 8_080)).toBe(9_000);
  for (const wrong of ['0', '65536', 'x', '1.5']) {
    vi.stubEnv('A_PORT', wrong);
    expect(() => readPort('A_PORT', 8_080)).toThrow(`A_PORT is ${wrong}, not a port number`);
  }
});

it('says how to choose another port than one that is taken', async () => {
  const port = await takenPort();
  await expect(requireFreePort('PORT', port)).rejects.toThrow(
    `port ${port} on 127.0.0.1 is taken; choose another one with PORT=${port + 1} npm start`,
  );
});

it('gives a default port up where it is taken, but not one that was asked for', async () => {
  const taken = await takenPort();
  vi.stubEnv('A_PORT', '');
  expect(await chooseOptionalPort('A_PORT', taken, 1)).toBe(0);
  expect(await chooseOptionalPort('A_PORT', 8_080, 8_080)).toBe(0);
  vi.stubEnv('A_PORT', String(taken));
  await expect(chooseOptionalPort('A_PORT', 8_081, 1)).rejects.toThrow(`A_PORT=${taken + 1}`);
  await expect(chooseOptionalPort('A_PORT', 8_081, taken)).rejects.toThrow(
    `A_PORT and PORT are both ${taken}`,
  );
});
