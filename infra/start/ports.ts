import { createServer } from 'node:net';

/** The port that a variable of the environment names, or its default. @throws where it names none */
export function readPort(variable: string, fallback: number): number {
  const text = process.env[variable] || String(fallback);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${variable} is ${text}, not a port number`);
  return port;
}

/** Whether nobody listens at a port of this machine. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Asked before anything slow begins. @throws where somebody listens there, saying how to choose another */
export async function requireFreePort(variable: string, port: number): Promise<void> {
  if (await isFree(port)) return;
  throw new Error(
    `port ${port} on 127.0.0.1 is taken; choose another one with ${variable}=${port + 1} npm start`,
  );
}

/**
 * A port that somebody asked for has to be free; one that nobody did is given up for any free one, which is 0, where it
 * is taken or about to be.
 */
export async function chooseOptionalPort(variable: string, fallback: number, taken: number): Promise<number> {
  const port = readPort(variable, fallback);
  if (!process.env[variable]) return port !== taken && (await isFree(port)) ? port : 0;
  if (port === taken) throw new Error(`${variable} and PORT are both ${port}`);
  await requireFreePort(variable, port);
  return port;
}
