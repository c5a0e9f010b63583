import { Counter, Gauge, type Registry } from 'prom-client';
import type { Connections } from './connections.ts';

/** Shows the open connections of a process, and those that it closed. */
export function showConnections(connections: Connections, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'linernotes_connections_open',
    help: 'Open connections of clients.',
    registers,
    collect() {
      this.set(connections.count());
    },
  });
  const showClosed = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `linernotes_connections_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  showClosed(
    'unread',
    'Connections that were closed because their client read its responses too slowly.',
    () => connections.closed('unread'),
  );
  showClosed('idle', 'Connections that were closed because they were idle for too long.', () =>
    connections.closed('idle'),
  );
  showClosed('evicted', 'Connections that were closed to make room for new ones.', () =>
    connections.closed('room'),
  );
  showClosed(
    'pipelined',
    'Connections that were closed because their client pipelined too many requests at once.',
    () => connections.closed('pipelined'),
  );
}
