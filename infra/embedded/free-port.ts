import { createServer } from 'node:net';

/** Listens on 127.0.0.1:`port` for a moment; port 0 is any. @returns the port, or null if that failed */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}

/** A free port of 127.0.0.1: the preferred one if it is free. */
export async function freePort(preferred?: number): Promise<number> {
  const port = (preferred === undefined ? null : await tryPort(preferred)) ?? (await tryPort(0));
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
}
