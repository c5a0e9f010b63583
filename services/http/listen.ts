import type { FastifyInstance } from 'fastify';

interface Address {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** The setting that chooses another port. */
  readonly setting: string;
}

/**
 * Has a service listen.
 *
 * @returns where it does
 * @throws Error that says what to do where the port is not to be had
 */
export async function listen(app: FastifyInstance, { host, port, setting }: Address): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new Error(`port ${port} on ${host} is in use; choose another one with ${setting}`, { cause });
    if (code === 'EACCES')
      throw new Error(`port ${port} on ${host} may not be opened by this user`, { cause });
    throw cause;
  }
}
