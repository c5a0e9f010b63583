import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be broken and mended. */
export interface BreakableLink {
  /** `url` with the link's own address. */
  through(url: string): string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Opens a link to the server of `target`, on a port of 127.0.0.1 that stays the same. */
export async function breakableLink(target: string): Promise<BreakableLink> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(targetPort), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(port);
      // A socket would lead past this link.
      changed.searchParams.delete('host');
      return changed.href;
    },
    async cut() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async mend() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
