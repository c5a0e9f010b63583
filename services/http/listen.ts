import type { FastifyInstance } from 'fastify';
import { SettingsError } from '../../infra/runtime/config.ts';

interface Address {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The setting that chooses another port. */
  readonly setting: string;
}

/**
 * Makes a service listen.
 *
 * @returns its URL
 * @throws SettingsError with a remedy if the port is unavailable
 */
export async function listen(app: FastifyInstance, { host, port, setting }: Address): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new SettingsError(`port ${port} on ${host} is in use; choose another one with ${setting}`, {
        cause,
      });
    if (code === 'EACCES')
      throw new SettingsError(`port ${port} on ${host} may not be opened by this user`, { cause });
    throw cause;
  }
}
