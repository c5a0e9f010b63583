import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy to a server, which can be broken and mended. */
export interface BreakableLink {
  /** `url` with the link's own address. */
  through(url: string): string;
  /** Closes every connection and rejects new ones. */
  cut(): Promise<void>;
  /** Keeps connections open, and accepts new ones, but passes nothing on. */
  stall(): void;
  mend(): Promise<void>;
}

/** Opens a link to the server of `target`, on a port of 127.0.0.1 that stays the same. */
export async function breakableLink(target: string): Promise<BreakableLink> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let isStalled = false;
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
      if (!isStalled) socket.pipe(other);
    }
  });
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(port);
      // A Unix socket would bypass this link.
      changed.searchParams.delete('host');
      return changed.href;
    },
    async cut() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      dropAll();
      await closed;
    },
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async mend() {
      if (isStalled) dropAll();
      isStalled = false;
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
