import { createServer } from 'node:net';

/** Whether a port of 127.0.0.1 is free. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Call before anything slow. @throws if the port is taken, with how to choose another */
export async function requireFreePort(variable: string, port: number): Promise<void> {
  if (await isFree(port)) return;
  throw new Error(
    `port ${port} on 127.0.0.1 is taken; choose another one with ${variable}=${port + 1} npm start`,
  );
}

/**
 * The port of an optional service: the configured one, which has to be free, else the default one, else 0 for any.
 */
export async function chooseOptionalPort(
  variable: string,
  { configured, fallback, taken }: OptionalPort,
): Promise<number> {
  if (configured === undefined) return fallback !== taken && (await isFree(fallback)) ? fallback : 0;
  if (configured === taken) throw new Error(`${variable} and PORT are both ${configured}`);
  await requireFreePort(variable, configured);
  return configured;
}

interface OptionalPort {
  readonly configured: number | undefined;
  readonly fallback: number;
  /** The port of another service. */
  readonly taken: number;
}
